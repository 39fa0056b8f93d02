"""The whole simulated site: clouds, the storage that they share, the clock and the faults."""

from __future__ import annotations

import io
import os
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from cycloud.simulator.cloud import Cloud
from cycloud.simulator.faults import Faults
from cycloud.simulator.seed import image_object, new_cloud
from cycloud.simulator.storage import Storage
from cycloud.simulator.transitions import Step, Timeline, work

REQUESTS_KEPT = 10_000
EVENTS_KEPT = 50_000
ALSO = {"spawning": ("BUILD",), "deleting": ("DELETING",), "rebooting": ("REBOOT",)}
"""Other names by which a test may hold a state."""


class StateFileError(RuntimeError):
    """The state file cannot be used; the text says why and what to do."""


class LoggedRequest(NamedTuple):
    """One request that reached a cloud; status 0 means that no answer went out."""

    cloud: str
    service: str
    method: str
    path: str
    status: int


class _Snapshot(NamedTuple):
    time: float
    request: int
    state: bytes


class Site:
    """All state of the simulator. Use `lock` when touching it beside a running server.

    `latency` is the time in seconds (site clock) that asynchronous work takes. With 0 the answer
    to a POST shows the intermediate state and the next request finds the end state.
    """

    def __init__(
        self,
        clouds: Iterable[str] = ("a", "b"),
        clock: Callable[[], float] = time.time,
        *,
        password: str = "simulated",  # noqa: S107 - of clouds that hold nothing
        latency: float = 0.0,
        token_ttl: float = 4 * 3600.0,
    ) -> None:
        self.clock = clock
        self.offset = 0.0
        self.password = password
        self.latency = latency
        self.token_ttl = token_ttl
        self.lock = threading.RLock()
        self.faults = Faults()
        self.storage = Storage()
        self.image_data = Storage()
        self.timeline = Timeline()
        self.guest_events: list[dict[str, Any]] = []
        self.requests: deque[LoggedRequest] = deque(maxlen=REQUESTS_KEPT)
        self.write_count = 0
        self.path: Path | None = None
        self.dirty = False
        self._seen_faults = 0
        self._history: dict[str, deque[_Snapshot]] = {}
        shared = image_object()
        self.clouds: dict[str, Cloud] = {}
        for position, name in enumerate(clouds):
            cloud = new_cloud(name, position, self.now())
            self.clouds[name] = cloud
            for image in cloud.images:
                self.image_data.put(image, shared.copy(shared.size, "glance"))

    # -- time

    def now(self) -> float:
        """Seconds since the epoch, by the site's clock."""
        return self.clock() + self.offset

    def advance(self, seconds: float) -> None:
        """Let the site's clock jump forward."""
        self.offset += seconds

    def later(self, cloud: Cloud, state: str, name: str, *args: str, delay: float = 0.0) -> None:
        """Plan the work that ends `state`, after the latency or `delay` if that is longer."""
        due = self.now() + max(self.latency, delay)
        self.timeline.add(due, cloud.name, state, name, args)

    def settle(self) -> None:
        """Do everything that is due by now and not held."""
        if self.faults.changes != self._seen_faults:
            self._seen_faults = self.faults.changes
            self.timeline.release()
        while (step := self.timeline.next_due(self.now(), self._held)) is not None:
            self.dirty = True
            work.run(self, self.clouds[step.cloud], step)

    def _held(self, step: Step) -> bool:
        names = (step.state, *ALSO.get(step.state, ()))
        return self.faults.holds(step.cloud, names, step.args)

    def hold(self, cloud: str, state: str, *, object_id: str | None = None) -> None:
        """Keep objects of a cloud (or one of them) in a state until `release`."""
        self.faults.add("hold", cloud=cloud, state=state, path=object_id)

    def release(self, cloud: str, state: str | None = None) -> None:
        """End the holds of a state, or all holds of the cloud."""
        self.faults.unhold(cloud, state)

    # -- guests

    def guest_event(self, cloud: Cloud, event: str, server: str, volumes: Iterable[str]) -> None:
        """Note what a hypervisor did with a guest; `volumes` are names in the storage."""
        self.guest_events.append(
            {
                "time": self.now(),
                "cloud": cloud.name,
                "event": event,
                "server": server,
                "volumes": list(volumes),
            }
        )
        if len(self.guest_events) > EVENTS_KEPT:
            del self.guest_events[: EVENTS_KEPT // 10]

    # -- the past, for stale reads

    def remember(self, cloud: Cloud) -> None:
        """Keep the state of a cloud before a request, while a fault wants old answers."""
        if not self.faults.stale(cloud.name):
            self._history.pop(cloud.name, None)
            return
        past = self._history.setdefault(cloud.name, deque(maxlen=1000))
        state = pickle.dumps(cloud)
        if not past or past[-1].state != state:
            past.append(_Snapshot(self.now(), cloud.requests, state))

    def past(self, cloud: Cloud, seconds: float, requests: int) -> Cloud:
        """The cloud as it was; as of the oldest state kept if that is younger."""
        kept = self._history.get(cloud.name)
        if not kept:
            return cloud
        old = [
            s
            for s in kept
            if s.time <= self.now() - seconds and s.request <= cloud.requests - requests
        ]
        return _loads(old[-1].state if old else kept[0].state, Cloud)

    # -- persistence

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Write all state to one file (replaced at once, readable by the owner only; OSError)."""
        target = Path(path) if path is not None else self.path
        if target is None:
            raise StateFileError("the site has no state file: give save() a path")
        with self.lock:
            data = pickle.dumps(
                {
                    "format": 1,
                    "offset": self.offset,
                    "password": self.password,
                    "latency": self.latency,
                    "token_ttl": self.token_ttl,
                    "storage": self.storage,
                    "image_data": self.image_data,
                    "timeline": self.timeline,
                    "guest_events": self.guest_events,
                    "clouds": self.clouds,
                }
            )
            self.dirty = False
        try:
            _write_private(target, data)
        except OSError:
            self.dirty = True
            raise

    @classmethod
    def load(cls, path: str | os.PathLike[str], clock: Callable[[], float] = time.time) -> Site:
        """The site of a file, which it keeps using; a new site if there is no such file."""
        source = Path(path)
        try:
            data = source.read_bytes()
        except FileNotFoundError:
            site = cls(clock=clock)
            site.path = source
            site.dirty = True
            return site
        state = _loads(data, dict)
        if state.get("format") != 1:
            raise StateFileError(f"{source}: written by another version; move it away")
        site = cls(clouds=(), clock=clock)
        site.path = source
        for name, value in state.items():
            if name != "format":
                setattr(site, name, value)
        return site


def _write_private(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(target.name + ".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
    new.replace(target)


class _Unpickler(pickle.Unpickler):
    """Reads the simulator's own classes and nothing else, so that a file cannot run code."""

    def find_class(self, module: str, name: str) -> Any:
        ours = module.startswith("cycloud.simulator.") and "." not in name
        if ours and module != "cycloud.simulator.site":
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not part of a simulator's state")


T = TypeVar("T")


def _loads(data: bytes, kind: type[T]) -> T:
    try:
        state = _Unpickler(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError) as error:
        raise StateFileError(f"this is no state of a simulator ({error}); move it away") from error
    if not isinstance(state, kind):
        raise StateFileError("this is no state of a simulator; move it away")
    return state
