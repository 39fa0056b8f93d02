"""Faults on request: what a test makes go wrong, matched by cloud, service, method and path.

Momentary kinds happen once unless `times` says otherwise (0 = until removed):

    status         answer `status` with `body` (or the service's own error shape); nothing is done
    rate_limit     429 with Retry-After `retry_after` seconds; nothing is done
    refuse         close the connection without an answer; nothing is done
    lost_answer    do the work, then close the connection without an answer
    no_valid_host  POST /servers ends in ERROR, "No valid host was found."
    spawn_failed   POST /servers ends in ERROR after the retries
    not_yet        POST /servers: the next `requests` calls below the new server answer 404

Lasting kinds stay until removed unless `times` says otherwise:

    slow           wait `seconds` (real time) before the work
    down           as refuse; other services of the cloud notice it, too
    stale          GETs answer the state of `seconds` (site clock) or `requests` requests ago
    hold           work that would end the state `state` waits; `path` may match the object's id
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

MOMENTARY = {
    "status",
    "rate_limit",
    "refuse",
    "lost_answer",
    "no_valid_host",
    "spawn_failed",
    "not_yet",
}
LASTING = {"slow", "down", "stale", "hold"}
EFFECTS = {"no_valid_host", "spawn_failed", "not_yet"}
ALIASES = {"volume": "block-storage", "volumev3": "block-storage", "block_storage": "block-storage"}


def _creates_server(service: str, method: str, path: str) -> bool:
    return service == "compute" and method == "POST" and path.rstrip("/").endswith("/servers")


@dataclass
class Fault:
    """One thing to go wrong. `nth` is the first matching request that it hits (from 1)."""

    id: int
    kind: str
    cloud: str | None = None
    service: str | None = None
    method: str | None = None
    path: str | None = None
    nth: int = 1
    times: int = 1
    seconds: float = 0.0
    requests: int = 0
    status: int = 500
    body: Any = None
    retry_after: int = 1
    state: str | None = None
    seen: int = field(default=0)
    hits: int = field(default=0)

    def matches(self, cloud: str, service: str, method: str, path: str) -> bool:
        """Whether the fault is about this request, whatever its counters say."""
        return (
            self.kind != "hold"
            and self.cloud in (None, cloud)
            and self.service in (None, service)
            and (self.method is None or self.method.upper() == method)
            and (self.kind != "stale" or method == "GET")
            and (self.kind not in EFFECTS or _creates_server(service, method, path))
            and (self.path is None or re.search(self.path, path) is not None)
        )

    def strikes(self) -> bool:
        """Count a matching request and say whether the fault hits it."""
        self.seen += 1
        if self.seen < self.nth or (self.times and self.hits >= self.times):
            return False
        self.hits += 1
        return True

    @property
    def spent(self) -> bool:
        """Whether it can never hit again."""
        return bool(self.times) and self.hits >= self.times


class Faults:
    """The faults in force on a site."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._count = 0
        self.changes = 0

    def __iter__(self) -> Iterator[Fault]:
        return iter(list(self._faults))

    def __len__(self) -> int:
        return len(self._faults)

    def add(
        self,
        kind: str,
        *,
        cloud: str | None = None,
        service: str | None = None,
        method: str | None = None,
        path: str | None = None,
        nth: int = 1,
        times: int | None = None,
        seconds: float = 0.0,
        requests: int = 0,
        status: int = 500,
        body: Any = None,
        retry_after: int = 1,
        state: str | None = None,
    ) -> Fault:
        """Put a fault in force; ValueError names a wrong kind, service or regular expression."""
        if kind not in MOMENTARY | LASTING:
            raise ValueError(f"unknown kind of fault {kind!r}: {sorted(MOMENTARY | LASTING)}")
        if kind == "hold" and not state:
            raise ValueError("a fault of kind 'hold' needs the state that it holds")
        if kind == "stale" and not (seconds or requests):
            raise ValueError("a fault of kind 'stale' needs seconds or requests")
        if path is not None:
            try:
                re.compile(path)
            except re.error as error:
                raise ValueError(f"path {path!r} is no regular expression: {error}") from error
        self._count += 1
        fault = Fault(
            id=self._count,
            kind=kind,
            cloud=cloud,
            service=ALIASES.get(service or "", service),
            method=method,
            path=path,
            nth=nth,
            times=(1 if kind in MOMENTARY else 0) if times is None else times,
            seconds=seconds,
            requests=max(requests, 1) if kind == "not_yet" else requests,
            status=status,
            body=body,
            retry_after=retry_after,
            state=state,
        )
        self._faults.append(fault)
        self.changes += 1
        return fault

    def remove(self, fault: Fault | int) -> bool:
        """Take one fault out of force, by itself or by id; False if there is none."""
        number = fault if isinstance(fault, int) else fault.id
        before = len(self._faults)
        self._faults = [f for f in self._faults if f.id != number]
        self.changes += 1
        return len(self._faults) < before

    def clear(self) -> None:
        """Everything works again."""
        self._faults.clear()
        self.changes += 1

    def strike(self, cloud: str, service: str, method: str, path: str) -> list[Fault]:
        """The faults that hit this request; counts it."""
        return [f for f in self._faults if f.matches(cloud, service, method, path) and f.strikes()]

    def is_down(self, cloud: str, service: str) -> bool:
        """Whether a whole service is down, as its neighbours in the cloud see it."""
        return any(
            f.kind == "down"
            and f.cloud in (None, cloud)
            and f.service in (None, service)
            and f.method is None
            and f.path is None
            and not f.spent
            for f in self._faults
        )

    def holds(self, cloud: str, states: Iterable[str], ids: Iterable[str]) -> bool:
        """Whether one of `states` is held for one of the objects `ids`."""
        names, objects = set(states), list(ids)
        return any(
            f.kind == "hold"
            and f.state in names
            and f.cloud in (None, cloud)
            and (f.path is None or any(re.search(f.path, i) for i in objects))
            for f in self._faults
        )

    def stale(self, cloud: str) -> bool:
        """Whether old states of a cloud have to be kept."""
        return any(f.kind == "stale" and f.cloud in (None, cloud) for f in self._faults)

    def unhold(self, cloud: str | None, state: str | None) -> int:
        """Release a held state (all of a cloud without `state`); the number of holds ended."""
        before = len(self._faults)
        self._faults = [
            f
            for f in self._faults
            if not (f.kind == "hold" and f.cloud == cloud and state in (None, f.state))
        ]
        self.changes += 1
        return before - len(self._faults)
