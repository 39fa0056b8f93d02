"""Many readers of server-sent events in one event loop, and the time that each event took to reach them."""

import asyncio
import json
import time
from datetime import datetime

__all__ = ["Fleet", "percentile"]

_OPEN_AT_ONCE = 50
_SECONDS = 120.0


class Fleet:
    """``delays``: seconds from the write of what an event shows to its arrival, of all readers."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self._readers: list[asyncio.Task[None]] = []
        self._writers: list[asyncio.StreamWriter] = []
        self._got = asyncio.Condition()
        self.delays: list[float] = []
        self.ended = 0

    async def open(self, number: int) -> None:
        """Open so many watches; return when each has got its first bytes."""
        gate = asyncio.Semaphore(_OPEN_AT_ONCE)
        opened = await asyncio.gather(*(self._connect(gate) for _ in range(number)))
        self._readers = [asyncio.create_task(self._read(reader)) for reader in opened]

    async def wait_for(self, deliveries: int) -> None:
        async with asyncio.timeout(_SECONDS), self._got:
            await self._got.wait_for(lambda: len(self.delays) >= deliveries)

    async def close(self) -> None:
        for task in self._readers:
            task.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        for writer in self._writers:
            writer.close()

    async def request(self, method: str, path: str, body: object = None) -> int:
        """Send one request on a connection of its own and return the status."""
        reader, writer = await self._send(method, path, body)
        status = int((await reader.readline()).split()[1])
        await reader.read()
        writer.close()
        return status

    async def _connect(self, gate: asyncio.Semaphore) -> asyncio.StreamReader:
        async with gate:
            reader, writer = await self._send("GET", "vpcs:watch?resource_version=0", keep=True)
            head = await reader.readuntil(b"\r\n\r\n")
            if b" 200 " not in head.split(b"\r\n")[0]:
                raise RuntimeError(head.decode() + (await reader.read(2000)).decode())
            # what the project was made with
            await reader.readuntil(b"\n\n")
            self._writers.append(writer)
            return reader

    async def _send(
        self, method: str, path: str, body: object = None, *, keep: bool = False
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        data = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{method} /v1/projects/bench/{path} HTTP/1.1",
            "Host: 127.0.0.1",
            f"Authorization: Bearer {self._token}",
            "Content-Type: application/json",
            f"Content-Length: {len(data)}",
            *([] if keep else ["Connection: close"]),
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode() + data)
        await writer.drain()
        return reader, writer

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    await self._note(json.loads(line[6:]))
        finally:
            self.ended += 1

    async def _note(self, event: dict[str, object]) -> None:
        arrived = time.time()
        resource = event.get("resource")
        if event["type"] != "MODIFIED" or not isinstance(resource, dict):
            return
        self.delays.append(arrived - datetime.fromisoformat(resource["update_time"]).timestamp())
        async with self._got:
            self._got.notify_all()


def percentile(samples: list[float], part: float) -> float:
    """Return the sample below which ``part`` (0 to 1) of them are."""
    return sorted(samples)[min(len(samples) - 1, int(len(samples) * part))]
