"""The gRPC services of the catalog. What they do is in its collections."""

from typing import Final

from cycloud.catalog.v1 import (
    availability_zone_pb2,
    availability_zone_pb2_grpc,
    instance_family_pb2,
    instance_family_pb2_grpc,
    instance_type_pb2,
    instance_type_pb2_grpc,
    openstack_cluster_pb2,
    openstack_cluster_pb2_grpc,
    public_image_pb2,
    public_image_pb2_grpc,
    volume_type_pb2,
    volume_type_pb2_grpc,
)
from cycloud.core.aip.rpc.services import RpcService, service_in

__all__ = ["SERVICES"]

SERVICES: Final[list[RpcService]] = [
    service_in(
        availability_zone_pb2.DESCRIPTOR,
        availability_zone_pb2_grpc.add_AvailabilityZoneServiceServicer_to_server,
    ),
    service_in(
        instance_family_pb2.DESCRIPTOR,
        instance_family_pb2_grpc.add_InstanceFamilyServiceServicer_to_server,
    ),
    service_in(
        instance_type_pb2.DESCRIPTOR,
        instance_type_pb2_grpc.add_InstanceTypeServiceServicer_to_server,
    ),
    service_in(
        volume_type_pb2.DESCRIPTOR, volume_type_pb2_grpc.add_VolumeTypeServiceServicer_to_server
    ),
    service_in(
        public_image_pb2.DESCRIPTOR, public_image_pb2_grpc.add_PublicImageServiceServicer_to_server
    ),
    service_in(
        openstack_cluster_pb2.DESCRIPTOR,
        openstack_cluster_pb2_grpc.add_OpenStackClusterServiceServicer_to_server,
    ),
]
