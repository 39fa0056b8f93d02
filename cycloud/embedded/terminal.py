"""What a person sees of a long command: one line per step, with a tick when it is done."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

__all__ = ["Terminal"]


class Output(Protocol):
    """A text stream, or Django's wrapper of one."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> None: ...


class Terminal:
    """Writes steps to ``out``. Where it cannot show a tick, ``ok`` and ``failed`` stand for it."""

    def __init__(self, out: Output, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._clock = clock
        encoding = (getattr(out, "encoding", None) or "utf-8").lower().replace("-", "")
        self._tick, self._cross = ("✓", "✗") if encoding == "utf8" else ("ok", "failed")

    def line(self, text: str = "") -> None:
        self._out.write(f"{text}\n")
        self._out.flush()

    @contextmanager
    def step(self, text: str) -> Iterator["Step"]:
        """Write ``text`` with a tick and the time taken once the block has ended, or a cross if it raised."""
        step = Step()
        start = self._clock()
        try:
            yield step
        except BaseException:
            # Ctrl-C, too, leaves the step with a cross; it is raised on
            self._write(self._cross, text, step, start)
            raise
        self._write(self._tick, text, step, start)

    def _write(self, mark: str, text: str, step: "Step", start: float) -> None:
        detail = f": {step.detail}" if step.detail else ""
        self.line(f"  {mark} {text}{detail} ({self._clock() - start:.1f} s)")


class Step:
    """A step under way; ``detail`` is added to its line."""

    detail = ""
