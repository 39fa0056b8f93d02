"""The gRPC services of compute. What they do is in its collections."""

from typing import Final

from cycloud.compute.v1 import (
    instance_pb2,
    instance_pb2_grpc,
    volume_pb2,
    volume_pb2_grpc,
)
from cycloud.core.aip.rpc.services import RpcService, service_in

__all__ = ["SERVICES"]

SERVICES: Final[list[RpcService]] = [
    service_in(instance_pb2.DESCRIPTOR, instance_pb2_grpc.add_InstanceServiceServicer_to_server),
    service_in(volume_pb2.DESCRIPTOR, volume_pb2_grpc.add_VolumeServiceServicer_to_server),
]
