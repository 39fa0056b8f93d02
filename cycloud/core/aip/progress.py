"""How far an operation is, for people: a value that domains make and operations store. Pure."""

from dataclasses import dataclass

__all__ = ["Progress"]


@dataclass(frozen=True)
class Progress:
    """``step`` is counted from 1 and is the one that is being done; 0 of 0 where steps are not known."""

    message: str
    step: int = 0
    total: int = 0
