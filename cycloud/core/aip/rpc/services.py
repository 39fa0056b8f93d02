"""What an app supplies to be served over gRPC: the services of its protos, and how each is registered."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
from django.conf import settings
from google.longrunning import operations_pb2, operations_pb2_grpc
from google.protobuf.descriptor import FileDescriptor, ServiceDescriptor

from cycloud.core.aip.collection import Collection
from cycloud.core.aip.rpc.bindings import read_rules
from cycloud.core.aip.rpc.servicer import service_class

__all__ = ["OPERATIONS", "RpcService", "add_services", "service_in"]

AddToServer = Callable[[Any, grpc.Server], None]


@dataclass(frozen=True)
class RpcService:
    """``add`` is the generated ``add_..Servicer_to_server``."""

    descriptor: ServiceDescriptor
    add: AddToServer


def service_in(file: FileDescriptor, add: AddToServer) -> RpcService:
    """Return the service of a proto file; each of ours has one."""
    (descriptor,) = file.services_by_name.values()
    return RpcService(descriptor, add)


OPERATIONS: Final = service_in(
    operations_pb2.DESCRIPTOR, operations_pb2_grpc.add_OperationsServicer_to_server
)


def add_services(
    server: grpc.Server, services: Iterable[RpcService], collections: Iterable[Collection[Any]]
) -> list[str]:
    """Let ``server`` serve the services from the collections, and return their full names."""
    by_name = {collection.name: collection for collection in collections}
    rules = read_rules(Path(settings.BASE_DIR) / "proto" / "cycloud.yaml")
    names = []
    for service in services:
        kind = service_class(service.descriptor, by_name, rules)
        service.add(kind.as_servicer(), server)
        names.append(service.descriptor.full_name)
    return names
