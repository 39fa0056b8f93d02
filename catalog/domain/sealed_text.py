"""Texts encrypted at rest with keys that can be rotated (MultiFernet). Pure."""

from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

__all__ = ["CannotOpen", "open_text", "reseal_text", "seal_text"]


class CannotOpen(Exception):
    """The text was sealed with a key that is not given any more, or was damaged."""


def seal_text(keys: Sequence[str], text: str) -> str:
    """Encrypt with the first key. "" stays ""."""
    return _fernet(keys).encrypt(text.encode()).decode() if text else ""


def open_text(keys: Sequence[str], sealed: str) -> str:
    """Decrypt with whichever of the keys fits; raise CannotOpen if none does. "" stays ""."""
    if not sealed:
        return ""
    try:
        return _fernet(keys).decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise CannotOpen("none of the keys in CYCLOUD_FIELD_KEYS opens the stored text") from None


def reseal_text(keys: Sequence[str], sealed: str) -> str:
    """Encrypt anew with the first key what any of the keys opens; raise CannotOpen if none does."""
    return seal_text(keys, open_text(keys, sealed))


def _fernet(keys: Sequence[str]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
