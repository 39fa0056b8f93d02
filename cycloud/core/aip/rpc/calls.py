"""What belongs to one call over gRPC: its id, the caller's address and language, and who asks."""

import re
import uuid
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote

import grpc
from django.conf import settings

from cycloud.core.aip.language import language_of
from cycloud.core.iam.actor import Actor

__all__ = ["RpcCall", "address_of", "call_of", "current_actor", "current_call"]

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
# ipv4:192.0.2.1:40000, ipv6:%5B2001:db8::1%5D:40000, unix:/run/x
_PEER: Final = re.compile(r"ipv[46]:\[?(?P<address>[0-9a-fA-F.:]+?)(?:%[^\]]*)?\]?:\d+")


@dataclass(frozen=True)
class RpcCall:
    """``method`` is the path of the method, ``authorization`` the caller's credentials or None."""

    method: str
    request_id: str
    source_address: str
    language: str
    authorization: str | None


# set by the interceptors for the time of a call
current_call: ContextVar[RpcCall] = ContextVar("cycloud_rpc_call")
current_actor: ContextVar[Actor] = ContextVar("cycloud_rpc_actor")


def call_of(method: str, context: grpc.ServicerContext) -> RpcCall:
    """Read the metadata of a call. The request id is the caller's where it is a good one, else a new one."""
    metadata = _metadata_of(context)
    given = metadata.get("x-request-id", "")
    return RpcCall(
        method=method,
        request_id=given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex,
        source_address=address_of(context.peer(), metadata.get("x-forwarded-for", "")),
        language=language_of(metadata.get("accept-language", "")),
        authorization=metadata.get("authorization"),
    )


def address_of(peer: str, forwarded: str = "") -> str:
    """Return the caller's IP address from what gRPC calls the peer; empty for a Unix socket.

    Where the peer is a proxy of CYCLOUD_GRPC_PROXIES, it is the last address that the proxy put into
    ``x-forwarded-for``; from anybody else that is not believed.
    """
    found = _PEER.fullmatch(unquote(peer))
    address = found["address"] if found else ""
    if forwarded and _is_proxy(address):
        return _text_of(forwarded.rpartition(",")[2].strip()) or address
    return address


def _is_proxy(address: str) -> bool:
    try:
        peer = ip_address(address)
    except ValueError:
        return False
    return any(peer in network for network in settings.CYCLOUD_GRPC_PROXIES)


def _text_of(address: str) -> str:
    try:
        return str(ip_address(address))
    except ValueError:
        return ""


def _metadata_of(context: grpc.ServicerContext) -> Mapping[str, str]:
    """Return the texts of the metadata; of a key that is there twice the last one."""
    return {
        str(key): value
        for key, value in context.invocation_metadata() or ()
        if isinstance(value, str)
    }
