"""The provider's side: its discovery document, its keys, and whether a token is really from it.

Keys are fetched when they are needed first, again every five minutes, and at once for a token whose key is not
known (after a rotation), but not more often than every ten seconds, whatever tokens strangers send. Nothing here
logs a token or a part of one.
"""

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hmac import compare_digest
from typing import Any, Final

import jwt
import requests

from cycloud.core.aip.errors import Unauthenticated, Unavailable
from cycloud.core.iam.oidc.config import OidcConfig

__all__ = ["Claims", "Endpoints", "Provider", "looks_like_jwt", "provider_for"]

logger = logging.getLogger(__name__)
ALGORITHMS: Final = ("RS256", "ES256")
_LONGEST_TOKEN: Final = 16 * 1024
_TIMEOUT: Final = 5.0
_KEYS_LIFESPAN: Final = 300.0
_DISCOVERY_LIFESPAN: Final = 3600.0
# between two fetches of the keys for the sake of an unknown one, and after a failure
_COOLDOWN: Final = 10.0
_PAUSE: Final = 3.0


@dataclass(frozen=True)
class Claims:
    """What a token says of its person, verified. ``values`` are all claims."""

    issuer: str
    subject: str
    values: Mapping[str, Any]

    def text(self, name: str) -> str:
        value = self.values.get(name)
        return value if isinstance(value, str) else ""

    def texts(self, name: str) -> list[str]:
        value = self.values.get(name)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


@dataclass(frozen=True)
class Endpoints:
    """Where the provider is asked (OpenID Connect Discovery 1.0, section 3)."""

    jwks_uri: str
    authorization_endpoint: str = ""
    token_endpoint: str = ""


class Keys(jwt.PyJWKClient):
    """The provider's keys. After a failed fetch the next calls fail at once for a while: nobody waits in line."""

    pause = _PAUSE
    _failed_at: float | None = None

    def fetch_data(self) -> Any:
        if self._failed_at is not None and time.monotonic() - self._failed_at < self.pause:
            raise jwt.PyJWKClientConnectionError("the last fetch failed a moment ago")
        try:
            data = super().fetch_data()
        except (jwt.PyJWKClientError, jwt.PyJWKSetError, OSError, ValueError) as error:
            self._failed_at = time.monotonic()
            logger.warning(
                "the OpenID provider's keys at %s cannot be fetched: %s", self.uri, error
            )
            raise jwt.PyJWKClientConnectionError("the keys cannot be fetched") from error
        self._failed_at = None
        return data


class Provider:
    """One provider as the settings describe it; safe for many threads."""

    def __init__(self, config: OidcConfig) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._endpoints: tuple[float, Endpoints] | None = None
        self._discovery_failed_at: float | None = None
        self._keys: Keys | None = None

    @property
    def endpoints(self) -> Endpoints:
        """What the discovery document says, at most an hour old. Raises Unavailable."""
        with self._lock:
            known = self._endpoints
            if known is None or time.monotonic() - known[0] > _DISCOVERY_LIFESPAN:
                known = self._endpoints = time.monotonic(), self._discover()
            return known[1]

    def keys(self) -> Keys:
        """Return the provider's keys, not fetched yet. Raises Unavailable."""
        url = self._config.jwks_url or self.endpoints.jwks_uri
        with self._lock:
            if self._keys is None or self._keys.uri != url:
                self._keys = Keys(
                    url,
                    lifespan=_KEYS_LIFESPAN,
                    timeout=_TIMEOUT,
                    cooldown_duration=_COOLDOWN,
                )
            return self._keys

    def verify(
        self, token: str, *, audiences: tuple[str, ...] | None = None, nonce: str | None = None
    ) -> Claims:
        """Return the claims of a token that the provider signed, for us, and for now.

        ``audiences`` other than the configured ones, and the ``nonce`` that must be in it: for an id token.
        Raises Unauthenticated (the same for whatever is wrong) and Unavailable if the provider does not answer.
        """
        try:
            values = jwt.decode(
                token,
                self._key_of(token),
                algorithms=list(ALGORITHMS),
                audience=list(audiences or self._config.audiences),
                issuer=self._config.issuer,
                leeway=self._config.leeway,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as error:
            logger.info("a token of the OpenID provider was refused: %s", type(error).__name__)
            raise _refused() from None
        subject = values["sub"]
        if not subject or len(subject) > 255:
            raise _refused()
        if nonce is not None and not compare_digest(nonce, str(values.get("nonce") or "")):
            logger.warning("an id token has not the nonce that was sent")
            raise _refused()
        return Claims(self._config.issuer, subject, values)

    def _key_of(self, token: str) -> jwt.PyJWK:
        if len(token) > _LONGEST_TOKEN:
            raise _refused()
        header = jwt.get_unverified_header(token)
        if header.get("alg") not in ALGORITHMS or not isinstance(header.get("kid"), str):
            raise _refused()
        try:
            return self.keys().get_signing_key(header["kid"])
        except jwt.PyJWKClientConnectionError:
            raise _unavailable() from None

    def _discover(self) -> Endpoints:
        failed = self._discovery_failed_at
        if failed is not None and time.monotonic() - failed < _PAUSE:
            raise _unavailable()
        url = f"{self._config.issuer.rstrip('/')}/.well-known/openid-configuration"
        try:
            answer = requests.get(url, timeout=_TIMEOUT, allow_redirects=False)
            answer.raise_for_status()
            found = answer.json()
            if found["issuer"] != self._config.issuer:
                raise ValueError(f"it is of another issuer: {found['issuer']!r}")
            endpoints = Endpoints(
                jwks_uri=str(found["jwks_uri"]),
                authorization_endpoint=str(found.get("authorization_endpoint") or ""),
                token_endpoint=str(found.get("token_endpoint") or ""),
            )
        except (requests.RequestException, ValueError, KeyError, TypeError) as error:
            self._discovery_failed_at = time.monotonic()
            logger.warning("the OpenID provider's %s cannot be used: %s", url, error)
            raise _unavailable() from None
        self._discovery_failed_at = None
        return endpoints


@lru_cache(maxsize=4)
def provider_for(config: OidcConfig) -> Provider:
    """Return the one provider of this process for a configuration."""
    return Provider(config)


def looks_like_jwt(secret: str) -> bool:
    """Tell whether a bearer token has the form of a signed JWT (RFC 7515): three parts, the first a JSON object."""
    return secret.count(".") == 2 and secret.startswith("ey")


def _refused() -> Unauthenticated:
    return Unauthenticated(
        "The token is not valid: it is not from the identity provider, not for Cycloud, expired, or its owner is "
        "disabled. Get a new one.",
        reason="CREDENTIALS_INVALID",
    )


def _unavailable() -> Unavailable:
    return Unavailable(
        "The identity provider does not answer, so the token cannot be checked. Repeat the request in a few "
        "seconds, or use an API token.",
        reason="IDENTITY_PROVIDER_UNAVAILABLE",
        retry_after=5,
    )
