import io
from collections.abc import Iterator
from typing import TextIO

import pytest

from cycloud.embedded.terminal import Terminal


def ticking() -> Iterator[float]:
    time = 0.0
    while True:
        yield time
        time += 1.5


def terminal(out: TextIO) -> Terminal:
    times = ticking()
    return Terminal(out, clock=lambda: next(times))


def test_a_step_that_ends_well_gets_a_tick_its_detail_and_its_time() -> None:
    out = io.StringIO()
    with terminal(out).step("Web server") as step:
        assert out.getvalue() == ""
        step.detail = "port 8000"
    assert out.getvalue() == "  ✓ Web server: port 8000 (1.5 s)\n"


def test_a_step_that_fails_gets_a_cross_and_its_error_goes_on() -> None:
    out = io.StringIO()
    with pytest.raises(OSError, match="full"), terminal(out).step("Database"):
        raise OSError("full")
    assert out.getvalue() == "  ✗ Database (1.5 s)\n"


def test_a_terminal_without_unicode_gets_words() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    with terminal(out).step("Seed"):
        pass
    assert raw.getvalue() == b"  ok Seed (1.5 s)\n"
