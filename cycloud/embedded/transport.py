"""Celery's messages as files, each of which appears and is taken in one step.

Kombu's own filesystem transport creates a message's file and then writes it, so a reader may find it empty and
die of it; and it takes a message by moving it to the system's folder for temporary files, which copies where that
is another disk. Here a message is written under another name and renamed, and taken by renaming it within its folder.
"""

import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

__all__ = ["Channel", "Transport"]

# suffixes that no queue's name has
_WRITING = ".writing"
_TAKEN = ".taken"


class Channel(filesystem.Channel):
    """One folder; a message of queue ``q`` is ``<time>_<uuid>.q.msg``, so names sort by age."""

    # kombu's own two signatures of it differ in the parameter's name
    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        name = f"{time.monotonic_ns():020d}_{uuid.uuid4().hex}"
        unfinished = folder / f"{name}{_WRITING}"
        unfinished.write_text(dumps(payload))
        unfinished.rename(folder / f"{name}.{queue}.msg")

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """Take the oldest message of ``queue``; raises Empty where there is none."""
        folder = Path(self.data_folder_in)
        for name in sorted(os.listdir(folder)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f"{name}{_TAKEN}"
            try:
                (folder / name).rename(taken)
            except FileNotFoundError:
                # another worker was faster
                continue
            text = taken.read_text()
            taken.unlink()
            return loads(text)
        raise Empty


class Transport(filesystem.Transport):
    Channel = Channel
