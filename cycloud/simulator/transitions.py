"""What a cloud does after it has answered: steps that fall due by the site's clock.

A step is data (names and ids), so that a saved site goes on after a restart. `state` is the state
that a client sees while the step waits ("BUILD", "detaching", ...): a test holds it by that name.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cycloud.simulator.cloud import Cloud
    from cycloud.simulator.site import Site

Work = Callable[..., None]
"""Called with the site, the cloud and the step's arguments."""


@dataclass(frozen=True, order=True)
class Step:
    """One piece of work that ends a state."""

    due: float
    number: int
    cloud: str = field(compare=False)
    state: str = field(compare=False)
    work: str = field(compare=False)
    args: tuple[str, ...] = field(compare=False)


class Timeline:
    """Waiting steps in the order in which they fall due."""

    def __init__(self) -> None:
        self._waiting: list[Step] = []
        self._held: list[Step] = []
        self._count = 0

    def add(self, due: float, cloud: str, state: str, work: str, args: tuple[str, ...]) -> None:
        """Plan `work`; steps of one instant run in the order they were planned."""
        self._count += 1
        heapq.heappush(self._waiting, Step(due, self._count, cloud, state, work, args))

    def next_due(self, now: float, held: Callable[[Step], bool]) -> Step | None:
        """Take the next step that is due and not held, if any."""
        while self._waiting and self._waiting[0].due <= now:
            step = heapq.heappop(self._waiting)
            if not held(step):
                return step
            self._held.append(step)
        return None

    def release(self) -> None:
        """Look at held steps again, since the holds have changed."""
        for step in self._held:
            heapq.heappush(self._waiting, step)
        self._held.clear()

    def pending(self) -> list[Step]:
        """Everything that waits or is held, soonest first."""
        return sorted([*self._waiting, *self._held])


class WorkTable:
    """Work by name; each service adds its own."""

    def __init__(self) -> None:
        self._works: dict[str, Work] = {}

    def __call__(self, name: str) -> Callable[[Work], Work]:
        """Decorator: the function does the work `name`."""

        def add(work: Work) -> Work:
            self._works[name] = work
            return work

        return add

    def run(self, site: Site, cloud: Cloud, step: Step) -> None:
        """Do the work of one step."""
        self._works[step.work](site, cloud, *step.args)


work = WorkTable()
