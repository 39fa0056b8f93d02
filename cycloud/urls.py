"""URLs of the portal: REST below ``/v1/``, the operators' admin, the console, probes."""

from typing import Any

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path

from catalog.api.urls import COLLECTIONS as CATALOG
from compute.api.urls import COLLECTIONS as COMPUTE
from cycloud.core.aip.api.operations import Operations
from cycloud.core.aip.collection import Collection
from cycloud.core.aip.rest.errors import unknown_url
from cycloud.core.aip.rest.urls import collection_urls
from cycloud.core.health import healthz, readyz
from cycloud.core.iam.api.urls import COLLECTIONS as IAM
from networking.api.urls import COLLECTIONS as NETWORKING

_resources: list[Collection[Any]] = [*CATALOG, *IAM, *NETWORKING, *COMPUTE]
_rest: list[URLPattern] = [
    pattern
    for collection in [*_resources, Operations(_resources)]
    for pattern in collection_urls(collection)
]

handler400 = "cycloud.core.aip.rest.handlers.bad_request"
handler403 = "cycloud.core.aip.rest.handlers.permission_denied"
handler404 = "cycloud.core.aip.rest.handlers.not_found"
handler500 = "cycloud.core.aip.rest.handlers.server_failure"

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("v1/", include([*_rest, re_path("", unknown_url)])),
    path("admin/", admin.site.urls),
    path("", include("cycloud.console.urls")),
]
