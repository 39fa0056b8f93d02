"""The gRPC service of quotas. What it does is in their collection."""

from typing import Final

from cycloud.compute.v1 import quota_pb2, quota_pb2_grpc
from cycloud.core.aip.rpc.services import RpcService, service_in

__all__ = ["SERVICES"]

SERVICES: Final[list[RpcService]] = [
    service_in(quota_pb2.DESCRIPTOR, quota_pb2_grpc.add_QuotaServiceServicer_to_server)
]
