"""The gRPC face, by the code that is generated from the protos."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final, NamedTuple, Self

import grpc
from google.longrunning import operations_pb2, operations_pb2_grpc
from google.protobuf.json_format import MessageToDict, ParseDict
from google.rpc import error_details_pb2

from cycloud.common.v1 import operation_pb2
from cycloud.compute.v1 import instance_pb2, instance_pb2_grpc, volume_pb2, volume_pb2_grpc
from cycloud.embedded.demo.failure import DemoFailed
from cycloud.embedded.demo.portal import Resource
from cycloud.networking.v1 import network_interface_pb2, network_interface_pb2_grpc

__all__ = ["RpcFace"]

TIMEOUT_SECONDS = 30.0
# what operations hold in an Any besides resources: types are found by name once their files are loaded
IN_ANY: Final = (operation_pb2.DESCRIPTOR, error_details_pb2.DESCRIPTOR)


class _Kind(NamedTuple):
    """``noun`` is the resource's name in those of its methods: GetVolume."""

    noun: str
    plural: str
    messages: ModuleType
    stub: Any


_KINDS: Final = {
    "instances": _Kind(
        "Instance", "Instances", instance_pb2, instance_pb2_grpc.InstanceServiceStub
    ),
    "volumes": _Kind("Volume", "Volumes", volume_pb2, volume_pb2_grpc.VolumeServiceStub),
    "networkInterfaces": _Kind(
        "NetworkInterface",
        "NetworkInterfaces",
        network_interface_pb2,
        network_interface_pb2_grpc.NetworkInterfaceServiceStub,
    ),
    "operations": _Kind(
        "Operation", "Operations", operations_pb2, operations_pb2_grpc.OperationsStub
    ),
}


class RpcFace:
    """Calls the portal at ``address`` (host:port, without TLS: the demo runs on this machine) with a token."""

    def __init__(self, address: str, token: str) -> None:
        self._address = address
        self._channel = grpc.insecure_channel(address)
        self._metadata = (("authorization", f"Bearer {token}"),)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def find(self, name: str) -> Resource | None:
        kind = _kind_of(name)
        try:
            return self._send(kind, f"Get{kind.noun}", {"name": name})
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.NOT_FOUND:
                return None
            raise self._failure(f"Get{kind.noun}", error) from error

    def list(self, parent: str, collection: str) -> list[Resource]:
        kind = _KINDS[collection]
        answer = self._call(kind, f"List{kind.plural}", {"parent": parent, "page_size": 1000})
        return next((value for value in answer.values() if isinstance(value, list)), [])

    def create(
        self, parent: str, collection: str, id_field: str, resource_id: str, body: Resource
    ) -> Resource:
        kind = _KINDS[collection]
        request = {"parent": parent, id_field: resource_id, id_field.removesuffix("_id"): body}
        return self._call(kind, f"Create{kind.noun}", request)

    def update(self, name: str, changes: Mapping[str, Any]) -> Resource:
        kind = _kind_of(name)
        request = {
            kind.noun.lower(): {"name": name, **changes},
            "update_mask": list(changes),
        }
        return self._call(kind, f"Update{kind.noun}", request)

    def verb(self, name: str, verb: str) -> Resource:
        kind = _kind_of(name)
        return self._call(kind, f"{verb.capitalize()}{kind.noun}", {"name": name})

    def delete(self, name: str) -> Resource:
        kind = _kind_of(name)
        return self._call(kind, f"Delete{kind.noun}", {"name": name})

    def _call(self, kind: _Kind, method: str, request: Mapping[str, Any]) -> Resource:
        try:
            return self._send(kind, method, request)
        except grpc.RpcError as error:
            raise self._failure(method, error) from error

    def _send(self, kind: _Kind, method: str, request: Mapping[str, Any]) -> Resource:
        fields = dict(request)
        paths = fields.pop("update_mask", [])
        message: Any = ParseDict(fields, getattr(kind.messages, f"{method}Request")())
        # as JSON a mask would have to be in camel case
        if paths:
            message.update_mask.paths.extend(paths)
        call = getattr(kind.stub(self._channel), method)
        answer = call(message, metadata=self._metadata, timeout=TIMEOUT_SECONDS)
        return MessageToDict(
            answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )

    def _failure(self, method: str, error: Any) -> DemoFailed:
        if error.code() is grpc.StatusCode.UNAVAILABLE:
            return DemoFailed(
                f"Nothing answers at {self._address} ({error.details()}). Start the portal with `make up` in "
                "another terminal, or name its address (see --help)."
            )
        return DemoFailed(f"{method} was refused: {error.code().name} {error.details()}")


def _kind_of(name: str) -> _Kind:
    return _KINDS[name.split("/")[-2]]
