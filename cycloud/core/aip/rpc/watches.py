"""A watch as a stream of gRPC: from the feed's hub to the caller, in a thread of its own."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Final
from weakref import WeakSet

import grpc
from django.db import connection
from google.protobuf.message import Message

from cycloud.core.aip.collection import Call, Collection
from cycloud.core.aip.errors import Canceled, CycloudError, Unavailable
from cycloud.core.aip.rpc.calls import current_call
from cycloud.core.aip.rpc.messages import message_of
from cycloud.core.aip.watch import WatchOptions, watch_resources
from cycloud.core.changes.events import EventType, WatchEvent
from cycloud.core.changes.hub import Subscription
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.authentication import actor_for_header

__all__ = ["end_watches", "message_for", "watch_events"]

_open: WeakSet[Subscription] = WeakSet()
# the last messages that were made, by what was told: a change that a thousand watches get is made into one once
_MESSAGES_KEPT: Final = 256
_messages: OrderedDict[tuple[str, int, EventType], Message] = OrderedDict()
_messages_lock = threading.Lock()


def watch_events(
    collection: Collection[Any], call: Call, options: WatchOptions, context: grpc.ServicerContext
) -> Iterator[WatchEvent]:
    """Yield the events of a watch until the caller leaves it. Raises what ends it."""
    rpc_call = current_call.get()

    def actor_now() -> Actor:
        return actor_for_header(
            rpc_call.authorization,
            source_address=rpc_call.source_address,
            request_id=rpc_call.request_id,
        )

    subscription = watch_resources(
        collection,
        call,
        options,
        actor_now=actor_now,
        identity=hashlib.sha256((rpc_call.authorization or "").encode()).digest(),
    )
    # a thousand watches that wait must not hold a thousand connections to the database
    subscription.on_joined = _leave_database
    _open.add(subscription)

    def left() -> None:
        _end(subscription, Canceled("The caller has left the watch."))

    if not context.add_callback(left):
        left()
    for event in subscription:
        if event.type is not EventType.BOOKMARK or options.allow_bookmarks:
            yield event


def message_for(event: WatchEvent, kind: type[Message]) -> Message:
    """Return an event as the message of its kind's watch. It may be shared: not to be changed."""
    if event.version is None:
        return message_of(event.as_json, kind)
    key = (kind.DESCRIPTOR.full_name, event.version, event.type)
    with _messages_lock:
        known = _messages.get(key)
    if known is not None:
        return known
    made = message_of(event.as_json, kind)
    with _messages_lock:
        _messages[key] = made
        if len(_messages) > _MESSAGES_KEPT:
            _messages.popitem(last=False)
    return made


def end_watches() -> None:
    """End all watches of this process with UNAVAILABLE: their readers go on at another one."""
    for subscription in list(_open):
        _end(
            subscription,
            Unavailable(
                "This server is being stopped. Watch again from the resource_version of the last message.",
                reason="WATCH_INTERRUPTED",
                retry_after=1.0,
            ),
        )


def _end(subscription: Subscription, error: CycloudError) -> None:
    subscription.end(error)
    subscription.notify()


def _leave_database() -> None:
    if not connection.in_atomic_block:
        connection.close()
