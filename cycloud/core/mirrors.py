"""Telling those who keep copies of resources elsewhere what the present transaction changed.

CYCLOUD_MIRRORS names them (dotted paths of functions); it is empty where nobody keeps a copy, and then nothing is
done here. They are told within the transaction, before the rows of the queue are stored: what they ask for is committed
with the change, or not at all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

__all__ = ["Changed", "mirror"]


@dataclass(frozen=True)
class Changed:
    """A resource that was made, changed or removed. ``name`` is empty where only its uid is at hand."""

    kind: str
    uid: UUID
    name: str = ""


def mirror(changed: Sequence[Changed]) -> None:
    """Tell every mirror of these resources."""
    if not changed:
        return
    for path in settings.CYCLOUD_MIRRORS:
        tell: Callable[[Sequence[Changed]], None] = import_string(path)
        tell(changed)
