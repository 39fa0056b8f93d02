"""What surrounds every call over gRPC, from the outside in: connections, request id, errors, deadline, credentials."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
from django.db import close_old_connections

from cycloud.core.aip.errors import Canceled, DeadlineExceeded, InvalidArgument
from cycloud.core.aip.language import current_language
from cycloud.core.aip.rpc.calls import call_of, current_actor, current_call
from cycloud.core.aip.rpc.errors import abort
from cycloud.core.aip.rpc.frames import Frame, Malformed
from cycloud.core.aip.unforeseen import error_of
from cycloud.core.aip.waiting import still_wanted
from cycloud.core.iam.authentication import actor_for_header

__all__ = ["INTERCEPTORS", "Authentication", "Connections", "Deadlines", "Errors", "Requests"]


class Connections(Frame):
    """A thread's connections to the database: a broken or old one is not used again, also after streams."""

    @contextmanager
    def around(self, method: str, request: Any, context: grpc.ServicerContext) -> Iterator[None]:
        close_old_connections()
        try:
            yield
        finally:
            close_old_connections()


class Requests(Frame):
    """Reads the call's metadata once, answers its request id."""

    @contextmanager
    def around(self, method: str, request: Any, context: grpc.ServicerContext) -> Iterator[None]:
        call = call_of(method, context)
        context.send_initial_metadata((("x-request-id", call.request_id),))
        token, language = current_call.set(call), current_language.set(call.language)
        wanted = still_wanted.set(context.is_active)
        try:
            yield
        finally:
            current_call.reset(token)
            current_language.reset(language)
            still_wanted.reset(wanted)


class Errors(Frame):
    """Ends a call that raised with its status (AIP-193); what nobody foresaw is logged and INTERNAL."""

    @contextmanager
    def around(self, method: str, request: Any, context: grpc.ServicerContext) -> Iterator[None]:
        try:
            if isinstance(request, Malformed):
                raise InvalidArgument(
                    f"The bytes of the request are no message that {method} takes. Make the client's code "
                    "anew from the protos of this version.",
                    reason="INVALID_MESSAGE",
                )
            yield
        # the last frame: gRPC would tell the caller the text of whatever was raised
        except Exception as exception:  # noqa: BLE001
            call = current_call.get()
            abort(context, error_of(exception), call.language)


class Deadlines(Frame):
    """Begins nothing for a caller that no longer waits."""

    @contextmanager
    def around(self, method: str, request: Any, context: grpc.ServicerContext) -> Iterator[None]:
        remaining = context.time_remaining()
        if remaining is not None and remaining <= 0:
            raise DeadlineExceeded(
                "The deadline passed before the call began. Nothing was done; allow more time."
            )
        if not context.is_active():
            raise Canceled("The caller gave the call up before it began. Nothing was done.")
        yield


class Authentication(Frame):
    """Finds out who asks, by the same rules as REST; sessions are for browsers only."""

    @contextmanager
    def around(self, method: str, request: Any, context: grpc.ServicerContext) -> Iterator[None]:
        call = current_call.get()
        actor = actor_for_header(
            call.authorization, source_address=call.source_address, request_id=call.request_id
        )
        token = current_actor.set(actor)
        try:
            yield
        finally:
            current_actor.reset(token)


INTERCEPTORS: tuple[Frame, ...] = (
    Connections(),
    Requests(),
    Errors(),
    Deadlines(),
    Authentication(),
)
