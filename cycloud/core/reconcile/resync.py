"""The slow resync: which keys it has, as the apps name them (CYCLOUD_RESYNC_SOURCES)."""

from collections.abc import Callable

from django.conf import settings
from django.utils.module_loading import import_string

__all__ = ["request_resync"]


def request_resync() -> None:
    """Call every source; each enqueues its rows in the resync lane, spread by jitter."""
    for path in settings.CYCLOUD_RESYNC_SOURCES:
        source: Callable[[], None] = import_string(path)
        source()
