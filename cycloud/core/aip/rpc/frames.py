"""The base of our interceptors: something that surrounds a call, and a stream until its end."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import update_wrapper
from typing import Any, Final, TypeAlias

import grpc
from google.protobuf.message import DecodeError

__all__ = ["Continuation", "Frame", "Handler", "Malformed", "MaybeHandler", "is_ours"]

# the stubs have parameters that the classes do not have
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
MaybeHandler: TypeAlias = "grpc.RpcMethodHandler[Any, Any] | None"
Continuation: TypeAlias = Callable[
    [grpc.HandlerCallDetails], "grpc.RpcMethodHandler[Any, Any] | None"
]
Behavior = Callable[[Any, grpc.ServicerContext], Any]
# health and reflection are gRPC's own: no credentials, no errors of ours
_FOREIGN: Final = "/grpc."


class Malformed:
    """Stands for a request whose bytes are no message of its type."""


class Frame(grpc.ServerInterceptor):  # type: ignore[type-arg]
    """``around`` is entered before the method and left after it, or after the last message of a stream."""

    def around(
        self, method: str, request: Any, context: grpc.ServicerContext
    ) -> AbstractContextManager[None]:
        raise NotImplementedError(type(self).__name__)

    def intercept_service(
        self,
        continuation: Continuation,
        handler_call_details: grpc.HandlerCallDetails,
    ) -> MaybeHandler:
        handler = continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or not is_ours(method):
            return handler
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(
                self._call(method, handler.unary_unary),
                request_deserializer=_lenient(handler.request_deserializer),
                response_serializer=handler.response_serializer,
            )
        if handler.unary_stream is not None:
            return grpc.unary_stream_rpc_method_handler(
                self._stream(method, handler.unary_stream),
                request_deserializer=_lenient(handler.request_deserializer),
                response_serializer=handler.response_serializer,
            )
        # no method of ours has a stream of requests
        return handler

    def _call(self, method: str, inner: Behavior) -> Behavior:
        def behavior(request: Any, context: grpc.ServicerContext) -> Any:
            with self.around(method, request, context):
                return inner(request, context)

        # with the attributes that name a thread pool of its own
        return update_wrapper(behavior, inner)

    def _stream(self, method: str, inner: Behavior) -> Behavior:
        def behavior(request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
            with self.around(method, request, context):
                yield from inner(request, context)

        return update_wrapper(behavior, inner)


def is_ours(method: str) -> bool:
    """Tell whether a method's path is of a service that the collections serve."""
    return not method.startswith(_FOREIGN)


def _lenient(deserializer: Callable[[bytes], Any] | None) -> Callable[[bytes], Any] | None:
    """Let wrong bytes reach the method's frame: gRPC would answer INTERNAL, and it is the caller's fault."""
    if deserializer is None:
        return None

    def read(raw: bytes) -> Any:
        try:
            return deserializer(raw)
        except DecodeError:
            return Malformed()

    return read
