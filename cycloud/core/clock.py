"""The one clock. Code asks :func:`now`; a test (or an operator's drill) may shift or freeze it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

_source: Callable[[], datetime] | None = None


def now() -> datetime:
    """Return the current time, aware, in UTC."""
    return _source() if _source is not None else datetime.now(UTC)


@contextmanager
def use_clock(source: Callable[[], datetime]) -> Iterator[None]:
    """Let ``source`` tell the time within the block (process-wide, all threads)."""
    global _source
    before, _source = _source, source
    try:
        yield
    finally:
        _source = before
