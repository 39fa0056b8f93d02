"""The gRPC face as a whole, as ``urls`` is that of HTTP: which services there are, over which collections."""

import grpc

from catalog.api.urls import COLLECTIONS as CATALOG
from catalog.rpc.services import SERVICES as CATALOG_SERVICES
from compute.api.urls import COLLECTIONS as COMPUTE
from compute.rpc.services import SERVICES as COMPUTE_SERVICES
from cycloud.core.aip.api.operations import Operations
from cycloud.core.aip.rpc.services import OPERATIONS, add_services
from cycloud.core.iam.api.urls import COLLECTIONS as IAM
from cycloud.core.iam.rpc.services import SERVICES as IAM_SERVICES
from cycloud.core.quotas.api.urls import COLLECTIONS as QUOTAS
from cycloud.core.quotas.rpc.services import SERVICES as QUOTA_SERVICES
from networking.api.urls import COLLECTIONS as NETWORKING
from networking.rpc.services import SERVICES as NETWORKING_SERVICES

__all__ = ["COLLECTIONS", "SERVICES", "grpc_handlers"]

_resources = [*CATALOG, *IAM, *QUOTAS, *NETWORKING, *COMPUTE]
COLLECTIONS = [*_resources, Operations(_resources)]
SERVICES = [
    *CATALOG_SERVICES,
    *IAM_SERVICES,
    *QUOTA_SERVICES,
    *NETWORKING_SERVICES,
    *COMPUTE_SERVICES,
    OPERATIONS,
]


def grpc_handlers(server: grpc.Server) -> list[str]:
    """Register all services (djangogrpcframework's ROOT_HANDLERS_HOOK), and return their full names."""
    return add_services(server, SERVICES, COLLECTIONS)
