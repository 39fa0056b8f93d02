"""Django's authentication backend for signing in with the OpenID provider (authorization code flow).

mozilla-django-oidc does the exchange; whether a token is good, and whose it is, is decided where it is
for bearer tokens too.
"""

import logging
from typing import Any

import requests
from django.http import HttpRequest
from django.urls import reverse
from mozilla_django_oidc.auth import OIDCAuthenticationBackend

from cycloud.core.aip.errors import Unauthenticated, Unavailable
from cycloud.core.iam.models import User
from cycloud.core.iam.oidc.config import OidcConfig, oidc_login_config
from cycloud.core.iam.oidc.provider import provider_for
from cycloud.core.iam.services.oidc_identities import user_of_claims

__all__ = ["CALLBACK", "OidcBackend"]

logger = logging.getLogger(__name__)
CALLBACK = "oidc-callback"
_TIMEOUT = 10.0


class OidcBackend(OIDCAuthenticationBackend):  # type: ignore[misc]
    """Takes part only in a callback, which has a nonce; passwords are other backends' business."""

    def __init__(self) -> None:
        """Django makes one for each request of a session: the provider is asked only when it is needed."""
        self.UserModel = User

    def authenticate(
        self, request: HttpRequest | None, *, nonce: str, code_verifier: str | None = None
    ) -> User | None:
        """Return the user of a callback's code. Raises Unauthenticated, Unavailable."""
        config = oidc_login_config()
        code = request.GET.get("code") if request is not None else None
        if config is None or request is None or not code or not nonce or not code_verifier:
            return None
        token = self._id_token(
            config,
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": request.build_absolute_uri(reverse(CALLBACK)),
                "code_verifier": code_verifier,
                "client_id": config.client_id,
                "client_secret": config.client_secret,
            },
        )
        claims = provider_for(config).verify(token, audiences=(config.client_id,), nonce=nonce)
        return user_of_claims(config, claims)

    def _id_token(self, config: OidcConfig, form: dict[str, Any]) -> str:
        """Exchange a code (RFC 6749, section 4.1.3). What the provider answers is not logged: it can hold tokens."""
        if not form["client_secret"]:
            del form["client_secret"]
        url = provider_for(config).endpoints.token_endpoint
        try:
            answer = requests.post(url, data=form, timeout=_TIMEOUT, allow_redirects=False)
            if answer.status_code >= 500:
                answer.raise_for_status()
            found = answer.json()
        except (requests.RequestException, ValueError) as error:
            logger.warning("the OpenID provider did not exchange a code: %s", type(error).__name__)
            raise Unavailable(
                "The identity provider does not answer. Try again in a moment.",
                reason="IDENTITY_PROVIDER_UNAVAILABLE",
                retry_after=5,
            ) from None
        token = found.get("id_token") if isinstance(found, dict) else None
        if answer.status_code != 200 or not isinstance(token, str):
            logger.warning("the OpenID provider refused a code with %d", answer.status_code)
            raise Unauthenticated(
                "The identity provider did not confirm the sign-in. Try again.",
                reason="CREDENTIALS_INVALID",
            )
        return token
