"""The seam for Nova's and Cinder's notifications. A hint says where to look, never what is true."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class HintKind(StrEnum):
    """What sort of provider object changed."""

    SERVER = "server"
    VOLUME = "volume"
    PORT = "port"


@dataclass(frozen=True)
class Hint:
    """Something about the object marked with ``uid`` may have changed."""

    kind: HintKind
    uid: str


class HintSource(Protocol):
    """A stream of hints from one cluster; losing or repeating some is allowed."""

    def listen(self, on_hint: Callable[[Hint], None]) -> None:
        """Call ``on_hint`` for each hint until the source is closed."""

    def close(self) -> None:
        """Let ``listen`` return."""
