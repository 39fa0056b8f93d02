"""URLs of the portal: REST below ``/v1/``, the operators' admin, the console, probes."""

from typing import Any

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path

from catalog.api.urls import COLLECTIONS as CATALOG
from compute.api.urls import COLLECTIONS as COMPUTE
from cycloud.core.aip.api.operations import Operations
from cycloud.core.aip.collection import Collection
from cycloud.core.aip.openapi.views import docs, openapi_json
from cycloud.core.aip.rest.errors import unknown_url
from cycloud.core.aip.rest.urls import collection_urls, verb_path
from cycloud.core.aip.rest.wait import wait_view
from cycloud.core.health import healthz, readyz
from cycloud.core.iam.api.urls import COLLECTIONS as IAM
from cycloud.core.metrics.views import metrics
from cycloud.core.quotas.api.urls import COLLECTIONS as QUOTAS
from networking.api.urls import COLLECTIONS as NETWORKING

_resources: list[Collection[Any]] = [*CATALOG, *IAM, *QUOTAS, *NETWORKING, *COMPUTE]
_operations = Operations(_resources)
COLLECTIONS: list[Collection[Any]] = [*_resources, _operations]
_rest: list[URLPattern] = [
    # first, as it is one of the operations' own custom methods
    re_path(verb_path(_operations, "wait"), wait_view(_operations)),
    *(pattern for collection in COLLECTIONS for pattern in collection_urls(collection)),
]

handler400 = "cycloud.core.aip.rest.handlers.bad_request"
handler403 = "cycloud.core.aip.rest.handlers.permission_denied"
handler404 = "cycloud.core.aip.rest.handlers.not_found"
handler500 = "cycloud.core.aip.rest.handlers.server_failure"

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("metrics", metrics),
    path("v1/openapi.json", openapi_json, name="openapi"),
    path("v1/docs", docs, name="api-docs"),
    path("v1/", include([*_rest, re_path("", unknown_url)])),
    path("admin/", admin.site.urls),
    path("oidc/", include("cycloud.core.iam.oidc.urls")),
    path("", include("cycloud.console.urls")),
]
