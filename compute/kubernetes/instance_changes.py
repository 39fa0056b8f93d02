"""From what an instance is declared as to what its object declares: which calls, in which order. Pure.

Services hold volumes and network interfaces to a stopped instance, and a type to where its volumes can be. So:

1. stop, if the object says Stopped and parts are to be changed (a stop alone goes with the other changes)
2. detach what goes: it may be what keeps the new type from being taken
3. all other changes, and a start if nothing is to be attached
4. attach what comes: where the new type runs
5. start, with all of it

A running instance that is to run on keeps its parts: the services refuse, and with that the whole object.

Volumes are attached behind those that are there. What is to come before one of them is put in place by taking that one
out and back in; between the two nothing happens, as all is one transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compute.services.instances import InstanceUpdate

__all__ = ["Attach", "Detach", "Step", "Update", "kept_volumes", "plan_steps"]

RUNNING = "RUNNING"
STOPPED = "STOPPED"


@dataclass(frozen=True)
class Detach:
    volume: str


@dataclass(frozen=True)
class Attach:
    volume: str


@dataclass(frozen=True)
class Update:
    changes: InstanceUpdate


Step = Detach | Attach | Update
_NOTHING = InstanceUpdate()


def plan_steps(
    volumes: Sequence[str], wanted: Sequence[str], changes: InstanceUpdate
) -> list[Step]:
    """Return the calls that lead from ``volumes`` to ``wanted`` (both in order) and make ``changes``."""
    kept = kept_volumes(volumes, wanted)
    going: list[Step] = [Detach(name) for name in volumes if name not in kept]
    coming: list[Step] = [Attach(name) for name in wanted[len(kept) :]]
    first: list[Step] = []
    last: list[Step] = []
    parts = bool(going or coming) or changes.network_interfaces is not None
    if changes.desired_state == STOPPED and parts:
        first.append(Update(InstanceUpdate(desired_state=STOPPED)))
        changes = replace(changes, desired_state=None)
    if changes.desired_state == RUNNING and coming:
        last.append(Update(InstanceUpdate(desired_state=RUNNING)))
        changes = replace(changes, desired_state=None)
    middle: list[Step] = [Update(changes)] if changes != _NOTHING else []
    return [*first, *going, *middle, *coming, *last]


def kept_volumes(volumes: Sequence[str], wanted: Sequence[str]) -> Sequence[str]:
    """Return the longest beginning of ``wanted`` whose volumes are attached in that order already."""
    place = 0
    for name in volumes:
        if place < len(wanted) and wanted[place] == name:
            place += 1
    return wanted[:place]
