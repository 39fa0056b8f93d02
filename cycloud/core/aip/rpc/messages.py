"""Between protobuf messages and the JSON values that the methods take and give."""

from typing import Any, Final, TypeVar

from google.protobuf import empty_pb2
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.json_format import MessageToDict, ParseDict, SerializeToJsonError
from google.protobuf.message import Message
from google.rpc import error_details_pb2

from cycloud.common.v1 import operation_pb2
from cycloud.core.aip.collection import Json
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.rest.parser import check_text

__all__ = ["IN_ANY", "json_of", "mask_text", "message_of"]

M = TypeVar("M", bound=Message)
# files of the types that an Any of ours holds besides resources: they are found by name once they are loaded
IN_ANY: Final = (empty_pb2.DESCRIPTOR, error_details_pb2.DESCRIPTOR, operation_pb2.DESCRIPTOR)


def json_of(message: Message, path: str = "") -> Json:
    """Return what is set in a message of a request, with the names that the proto has.

    Raises InvalidArgument for what JSON cannot have, such as a time outside of its years, or a NUL.
    """
    try:
        value: Json = MessageToDict(message, preserving_proto_field_name=True)
    except (SerializeToJsonError, ValueError, TypeError) as error:
        raise InvalidArgument.field(path or "request", f"cannot be read: {error}.") from error
    _check_texts(value, path)
    return value


def message_of(value: Json, kind: type[M]) -> M:
    """Return an answer as a message. A null is a field that is not set."""
    return ParseDict(value, kind(), ignore_unknown_fields=True)


def mask_text(mask: FieldMask) -> str:
    """Return a field mask as REST has it: paths with commas between."""
    return ",".join(mask.paths)


def _check_texts(value: Any, path: str) -> None:
    if isinstance(value, str):
        check_text(value, path or "request")
    elif isinstance(value, dict):
        for key, inner in value.items():
            where = f"{path}.{key[:80]}" if path else key[:80]
            check_text(key, where.replace("\0", "\\0"))
            _check_texts(inner, where)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _check_texts(inner, f"{path}[{index}]")
