"""A gRPC server in this process, over the test's own database connection, and a client that speaks JSON values."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from django.db import connections
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass
from google.rpc import status_pb2
from grpc_status import rpc_status

from cycloud.core.aip.rpc.server import RpcOptions, RpcServer
from cycloud.rpc import SERVICES

__all__ = ["RpcAnswer", "RpcClient", "refused", "rpc_server"]

_SERVICES = {service.descriptor.full_name: service.descriptor for service in SERVICES}


@dataclass(frozen=True)
class RpcAnswer:
    """``json`` is the answer, None where the call was refused; ``status`` is then google.rpc.Status as JSON."""

    code: grpc.StatusCode
    json: Any = None
    message: str = ""
    status: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.code is grpc.StatusCode.OK

    @property
    def reason(self) -> str:
        """The ErrorInfo's reason, which every refusal has."""
        return str(self.detail("ErrorInfo")["reason"])

    def detail(self, kind: str) -> Mapping[str, Any]:
        """Return the detail of that type, such as "BadRequest"; an empty one if there is none."""
        found: list[Mapping[str, Any]] = [
            d for d in self.status.get("details", []) if d["@type"].endswith(f"google.rpc.{kind}")
        ]
        return found[0] if found else {}


class RpcClient:
    """Calls any method by its name, as "compute.v1.InstanceService/GetInstance"."""

    def __init__(self, port: int, secret: str = "", **metadata: str) -> None:
        self._channel = grpc.insecure_channel(
            f"127.0.0.1:{port}", options=[("grpc.max_metadata_size", 65536)]
        )
        self._metadata: list[tuple[str, str | bytes]] = [
            (key.replace("_", "-"), value) for key, value in metadata.items()
        ]
        if secret:
            self._metadata.append(("authorization", f"Bearer {secret}"))

    def close(self) -> None:
        self._channel.close()

    def __call__(
        self, method: str, request: Mapping[str, Any] | None = None, **options: Any
    ) -> RpcAnswer:
        """Call a method with one answer. ``options``: timeout, raw (bytes in place of the request)."""
        path, message, answer = _method(method)
        raw = options.pop("raw", None)
        call = self._channel.unary_unary(
            path,
            request_serializer=lambda data: data,
            response_deserializer=GetMessageClass(answer).FromString,
        )
        data = raw if raw is not None else _serialized(message, request or {})
        options.setdefault("timeout", 30.0)
        try:
            response, done = call.with_call(data, metadata=tuple(self._metadata), **options)
        except grpc.RpcError as error:
            return _refusal(error)
        return RpcAnswer(
            grpc.StatusCode.OK, _json(response), metadata=_texts(done.initial_metadata())
        )

    def stream(self, method: str, request: Mapping[str, Any], timeout: float = 30.0) -> Any:
        """Open a stream; its messages come as JSON values from :meth:`messages`. It has cancel()."""
        path, message, answer = _method(method)
        call = self._channel.unary_stream(
            path,
            request_serializer=lambda data: data,
            response_deserializer=GetMessageClass(answer).FromString,
        )
        return call(_serialized(message, request), metadata=tuple(self._metadata), timeout=timeout)

    @staticmethod
    def messages(stream: Any) -> Iterator[Any]:
        return (_json(message) for message in stream)


@contextmanager
def rpc_server(**options: Any) -> Iterator[RpcServer]:
    """Serve in this process; the calls use this thread's connection, and so see the test's transaction."""
    connection = connections["default"]
    connection.inc_thread_sharing()

    def share() -> None:
        connections["default"] = connection

    server = RpcServer(RpcOptions(**options), begin_thread=share)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        connection.dec_thread_sharing()


def refused(error: grpc.RpcError) -> RpcAnswer:
    """Return what a stream raised as an answer."""
    return _refusal(error)


def _method(name: str) -> tuple[str, Any, Any]:
    service, _, method = name.partition("/")
    full = service if service.startswith("google.") else f"cycloud.{service}"
    described = _SERVICES[full].methods_by_name[method]
    return f"/{full}/{method}", described.input_type, described.output_type


def _serialized(message: Any, request: Mapping[str, Any]) -> bytes:
    return bytes(ParseDict(dict(request), GetMessageClass(message)()).SerializeToString())


def _json(message: Any) -> Any:
    shown = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    # plain values only
    return json.loads(json.dumps(shown))


def _texts(metadata: Any) -> dict[str, str]:
    return {key: value for key, value in metadata or () if isinstance(value, str)}


def _refusal(error: Any) -> RpcAnswer:
    status = rpc_status.from_call(error)
    shown = MessageToDict(status or status_pb2.Status(), preserving_proto_field_name=True)
    return RpcAnswer(
        error.code(),
        message=error.details() or "",
        status=shown,
        metadata=_texts(error.initial_metadata()),
    )
