"""What seeding made."""

from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["SeedResult"]


@dataclass(frozen=True)
class SeedResult:
    """``created``: names of what was not there before. ``passwords``: of users made just now; in no repr."""

    created: tuple[str, ...]
    token_file: Path
    passwords: dict[str, str] = field(default_factory=dict, repr=False)
