"""One portal per data directory: two would overwrite each other's simulated clouds."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["AlreadyRunning", "only_one"]


class AlreadyRunning(Exception):
    """Another process holds the lock; the text names it and says what to do."""


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock ``path`` within the block. It goes with the process, however that ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
            raise AlreadyRunning(
                f"A portal runs already with the data in {path.parent} (process {holder}). Stop it first, "
                "or choose another folder with CYCLOUD_DATA_DIR."
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
