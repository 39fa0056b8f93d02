"""URLs of signing in with the OpenID provider, below ``oidc/``; 404 where none is set."""

from django.urls import URLPattern, path

from cycloud.core.iam.oidc.backend import CALLBACK
from cycloud.core.iam.oidc.views import callback, start

urlpatterns: list[URLPattern] = [
    path("sign-in/", start, name="oidc-sign-in"),
    path("callback/", callback, name=CALLBACK),
]
