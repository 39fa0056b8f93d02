"""Bearer tokens: how a secret looks, and the digest that is kept of it. Pure."""

import hashlib
import re
import secrets
import string

__all__ = ["PREFIX_LENGTH", "digest_of", "looks_like_token", "new_secret"]

PREFIX_LENGTH = 12
_ALPHABET = string.ascii_letters + string.digits
_SECRET = re.compile(r"cyc_[A-Za-z0-9]{40}")


def new_secret() -> str:
    """Return a new secret: ``cyc_`` and 40 letters and digits (238 bits)."""
    return "cyc_" + "".join(secrets.choice(_ALPHABET) for _ in range(40))


def looks_like_token(secret: str) -> bool:
    return _SECRET.fullmatch(secret) is not None


def digest_of(secret: str) -> str:
    """Return the SHA-256 of a secret in hex.

    A plain digest is enough here: a secret is random and long, so there is nothing to guess.
    """
    return hashlib.sha256(secret.encode()).hexdigest()
