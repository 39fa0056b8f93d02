"""The ASGI application's start and stop."""

import asyncio
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from cycloud import asgi

SIGNALS = (signal.SIGTERM, signal.SIGINT)


@pytest.fixture
def server_stops() -> Iterator[list[int]]:
    """Stand for the web server's own handler of signals; what was there before is put back."""
    stopped: list[int] = []
    before = [signal.signal(number, lambda n, _: stopped.append(n)) for number in SIGNALS]
    yield stopped
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    calls: list[str] = []
    monkeypatch.setattr(asgi, "close_hub", lambda: calls.append("ended"))
    return calls


async def run_lifespan(between: Any) -> list[str]:
    sent: list[str] = []
    messages = asyncio.Queue[Any]()
    started = asyncio.Event()

    async def send(message: Any) -> None:
        sent.append(message["type"])
        started.set()

    task = asyncio.create_task(asgi.lifespan({"type": "lifespan"}, messages.get, send))  # type: ignore[arg-type]
    await messages.put({"type": "lifespan.startup"})
    await asyncio.wait_for(started.wait(), 5)
    between()
    await asyncio.sleep(0)
    await messages.put({"type": "lifespan.shutdown"})
    await asyncio.wait_for(task, 5)
    return sent


async def test_watches_end_at_the_shutdown(server_stops: list[int], ended: list[str]) -> None:
    assert await run_lifespan(lambda: None) == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
    assert ended == ["ended"]


@pytest.mark.parametrize("number", SIGNALS)
async def test_watches_end_at_a_signal_before_the_server_waits_for_them(
    server_stops: list[int], ended: list[str], number: signal.Signals
) -> None:
    def stop() -> None:
        signal.raise_signal(number)

    await run_lifespan(stop)
    assert server_stops == [number]
    assert ended == ["ended", "ended"]
