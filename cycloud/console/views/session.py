"""Signing in and out."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse

from cycloud.console.page import CONTENT_SECURITY_POLICY
from cycloud.core.iam.oidc.config import oidc_login_config

__all__ = ["SignIn", "SignOut"]


class SignInForm(AuthenticationForm):
    """User name and password; a wrong pair is answered in the same words whichever of them is wrong."""

    error_messages = {
        "invalid_login": "That user name and password do not match an active account. Check both; "
        "passwords are case-sensitive.",
        "inactive": "That user name and password do not match an active account. Check both; "
        "passwords are case-sensitive.",
    }

    username = forms.CharField(
        label="User name",
        max_length=150,
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "username"}),
    )


class SignIn(LoginView):
    template_name = "console/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        provider = settings.CYCLOUD_OIDC_NAME if oidc_login_config() else ""
        return super().get_context_data(oidc_name=provider, **kwargs)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        response = super().dispatch(request, *args, **kwargs)
        response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
        return response


class SignOut(LogoutView):
    """By POST only, so that no link of another page can do it."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().post(request, *args, **kwargs)
