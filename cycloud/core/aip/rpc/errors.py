"""An error as gRPC has it: a code, a message, and google.rpc.Status in ``grpc-status-details-bin``."""

from typing import Final, NoReturn

import grpc
from google.rpc import status_pb2
from grpc_status import rpc_status

from cycloud.core.aip.errors import CycloudError
from cycloud.core.aip.rpc.messages import message_of
from cycloud.core.aip.status import error_status

__all__ = ["abort", "status_of"]

# clients refuse more than 8 KiB of metadata, where the status is in base64 and its message once more
_MOST_BYTES: Final = 4096


def status_of(error: CycloudError, language: str) -> status_pb2.Status:
    """Return the status of an error; where it is too long for a header, without its last details."""
    status = message_of(error_status(error, language=language), status_pb2.Status)
    # ErrorInfo, the first, is what programs rely on
    while status.ByteSize() > _MOST_BYTES and len(status.details) > 1:
        del status.details[-1]
    return status


def abort(context: grpc.ServicerContext, error: CycloudError, language: str) -> NoReturn:
    """End the call with the error."""
    context.abort_with_status(rpc_status.to_status(status_of(error, language)))
    raise AssertionError("abort_with_status raises")
