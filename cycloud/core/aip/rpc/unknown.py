"""The answer to methods that there are not: UNIMPLEMENTED with details, as every error has."""

from collections.abc import Iterator
from typing import Any

import grpc

from cycloud.core.aip.errors import Unimplemented
from cycloud.core.aip.rpc.calls import call_of
from cycloud.core.aip.rpc.errors import abort
from cycloud.core.aip.rpc.frames import Handler

__all__ = ["UnknownMethods"]


class UnknownMethods(grpc.GenericRpcHandler):  # type: ignore[type-arg]
    """To be registered last: takes every method that nobody has taken."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Handler:
        method = handler_call_details.method

        def refuse(requests: Iterator[Any], context: grpc.ServicerContext) -> Any:
            error = Unimplemented(
                f"There is no method {method[:200]}. Ask for the services with gRPC reflection, or see the API guide.",
                reason="METHOD_NOT_FOUND",
            )
            abort(context, error, call_of(method, context).language)

        return grpc.stream_stream_rpc_method_handler(refuse)
