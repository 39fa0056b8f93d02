"""The gRPC services of IAM. What they do is in its collections."""

from typing import Final

from cycloud.core.aip.rpc.services import RpcService, service_in
from cycloud.iam.v1 import (
    audit_entry_pb2,
    audit_entry_pb2_grpc,
    member_pb2,
    member_pb2_grpc,
    project_pb2,
    project_pb2_grpc,
    service_account_key_pb2,
    service_account_key_pb2_grpc,
    service_account_pb2,
    service_account_pb2_grpc,
    token_pb2,
    token_pb2_grpc,
)

__all__ = ["SERVICES"]

SERVICES: Final[list[RpcService]] = [
    service_in(project_pb2.DESCRIPTOR, project_pb2_grpc.add_ProjectServiceServicer_to_server),
    service_in(member_pb2.DESCRIPTOR, member_pb2_grpc.add_MemberServiceServicer_to_server),
    service_in(
        service_account_pb2.DESCRIPTOR,
        service_account_pb2_grpc.add_ServiceAccountServiceServicer_to_server,
    ),
    service_in(
        service_account_key_pb2.DESCRIPTOR,
        service_account_key_pb2_grpc.add_ServiceAccountKeyServiceServicer_to_server,
    ),
    service_in(
        audit_entry_pb2.DESCRIPTOR,
        audit_entry_pb2_grpc.add_AuditEntryServiceServicer_to_server,
    ),
    service_in(token_pb2.DESCRIPTOR, token_pb2_grpc.add_TokenServiceServicer_to_server),
]
