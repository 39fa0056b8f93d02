"""What a check found: one line for a person each."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Finding", "Level", "good", "note", "wrong"]


class Level(StrEnum):
    GOOD = "ok"
    # worth knowing; nothing is broken
    NOTE = "note"
    WRONG = "wrong"


@dataclass(frozen=True)
class Finding:
    """``subject``: what was looked at; ``text``: what it is like, and what to do next if that is not good."""

    level: Level
    subject: str
    text: str

    def __str__(self) -> str:
        return f"{self.level.value:<6} {self.subject:<12} {self.text}"


def good(subject: str, text: str) -> Finding:
    return Finding(Level.GOOD, subject, text)


def note(subject: str, text: str) -> Finding:
    return Finding(Level.NOTE, subject, text)


def wrong(subject: str, text: str) -> Finding:
    return Finding(Level.WRONG, subject, text)
