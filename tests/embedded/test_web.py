from typing import Any

import httpx
import pytest

from cycloud.embedded.ports import take_port
from cycloud.embedded.web import WebServer


class Application:
    """Answers every request with 204; keeps what the lifespan told it."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.lifespan: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while True:
                kind = (await receive())["type"]
                self.lifespan.append(kind)
                await send({"type": f"{kind}.{'failed' if self.fails else 'complete'}"})
                if kind == "lifespan.shutdown" or self.fails:
                    return
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def test_it_answers_once_started_and_tells_the_application_of_start_and_end() -> None:
    application = Application()
    server = WebServer(application, take_port("127.0.0.1", 0, "--port"))
    server.start()
    assert httpx.get(f"http://127.0.0.1:{server.port}/").status_code == 204
    assert application.lifespan == ["lifespan.startup"]
    address = f"http://127.0.0.1:{server.port}/"
    server.stop()
    assert application.lifespan == ["lifespan.startup", "lifespan.shutdown"]
    assert not server.running
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)


def test_an_open_connection_does_not_hold_up_the_stop() -> None:
    server = WebServer(Application(), take_port("127.0.0.1", 0, "--port"))
    server.start()
    with httpx.Client() as client:
        client.get(f"http://127.0.0.1:{server.port}/")
        server.stop()
    assert not server.running


def test_an_application_that_fails_at_start_up_is_an_error_at_once() -> None:
    server = WebServer(Application(fails=True), take_port("127.0.0.1", 0, "--port"))
    with pytest.raises(RuntimeError, match="did not start"):
        server.start()
    server.stop()
