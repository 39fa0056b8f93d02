"""The gRPC services of networking. What they do is in its collections."""

from typing import Final

from cycloud.core.aip.rpc.services import RpcService, service_in
from cycloud.networking.v1 import (
    network_interface_pb2,
    network_interface_pb2_grpc,
    subnet_pb2,
    subnet_pb2_grpc,
    vpc_pb2,
    vpc_pb2_grpc,
)

__all__ = ["SERVICES"]

SERVICES: Final[list[RpcService]] = [
    service_in(vpc_pb2.DESCRIPTOR, vpc_pb2_grpc.add_VPCServiceServicer_to_server),
    service_in(subnet_pb2.DESCRIPTOR, subnet_pb2_grpc.add_SubnetServiceServicer_to_server),
    service_in(
        network_interface_pb2.DESCRIPTOR,
        network_interface_pb2_grpc.add_NetworkInterfaceServiceServicer_to_server,
    ),
]
