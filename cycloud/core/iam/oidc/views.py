"""Signing in to the console with the OpenID provider: to the provider, and back from it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from mozilla_django_oidc.views import OIDCAuthenticationCallbackView, OIDCAuthenticationRequestView

from cycloud.core.aip.errors import CycloudError
from cycloud.core.iam.oidc.backend import CALLBACK
from cycloud.core.iam.oidc.config import oidc_login_config
from cycloud.core.iam.oidc.provider import provider_for

__all__ = ["callback", "start"]

_FAILED = "The sign-in did not work. Try again."


def _login_setting(attr: str, *default: Any) -> Any:
    """Answer mozilla-django-oidc's settings from ours; PKCE, state and nonce are always on."""
    config = oidc_login_config()
    if config is None:
        raise Http404
    if attr == "OIDC_OP_AUTHORIZATION_ENDPOINT":
        return provider_for(config).endpoints.authorization_endpoint
    ours = {
        "OIDC_RP_CLIENT_ID": config.client_id,
        "OIDC_RP_SCOPES": config.scopes,
        "OIDC_AUTHENTICATION_CALLBACK_URL": CALLBACK,
        "OIDC_USE_PKCE": True,
        "OIDC_USE_NONCE": True,
        "LOGIN_REDIRECT_URL": settings.LOGIN_REDIRECT_URL,
        "LOGIN_REDIRECT_URL_FAILURE": settings.LOGIN_URL,
    }
    return ours[attr] if attr in ours else default[0]


class _Start(OIDCAuthenticationRequestView):  # type: ignore[misc]
    get_settings = staticmethod(_login_setting)


class _Callback(OIDCAuthenticationCallbackView):  # type: ignore[misc]
    get_settings = staticmethod(_login_setting)

    def login_failure(self) -> HttpResponseBase:
        messages.error(self.request, _FAILED)
        return redirect(settings.LOGIN_URL)


def _page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Answer 404 where no provider is set, and tell what went wrong on the page for signing in."""

    @wraps(view)
    def wrapped(request: HttpRequest) -> HttpResponseBase:
        if oidc_login_config() is None:
            raise Http404
        try:
            return view(request)
        except CycloudError as error:
            messages.error(request, error.message)
        except SuspiciousOperation:
            # a state that this browser did not ask for
            messages.error(request, _FAILED)
        return redirect(settings.LOGIN_URL)

    return wrapped


start = _page(_Start.as_view())
callback = _page(_Callback.as_view())
