"""A provider of OpenID Connect, and settings that name it."""

from collections.abc import Iterator
from typing import Any

import pytest

from cycloud.core.iam.oidc.config import oidc_config
from cycloud.core.iam.oidc.provider import Keys, Provider, provider_for
from tests.core.iam.oidc.issuer import CLIENT_ID, CLIENT_SECRET, Issuer, running_issuer


@pytest.fixture
def issuer(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Issuer]:
    """A provider that people can sign in with and whose tokens count; new people get an account."""
    monkeypatch.setattr(Keys, "pause", 0.0)
    provider_for.cache_clear()
    with running_issuer() as running:
        settings.CYCLOUD_OIDC_ISSUER = running.url
        settings.CYCLOUD_OIDC_CLIENT_ID = CLIENT_ID
        settings.CYCLOUD_OIDC_CLIENT_SECRET = CLIENT_SECRET
        settings.CYCLOUD_OIDC_CREATE_USERS = True
        settings.AUTHENTICATION_BACKENDS = [
            *settings.AUTHENTICATION_BACKENDS,
            "cycloud.core.iam.oidc.backend.OidcBackend",
        ]
        yield running
    provider_for.cache_clear()


@pytest.fixture
def provider(issuer: Issuer) -> Provider:
    """The portal's view of the provider, which is the same for all calls."""
    config = oidc_config()
    assert config is not None
    return provider_for(config)
