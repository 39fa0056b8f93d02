"""How far an operation on an instance is, in steps that a person understands. Pure.

Told afresh from what was seen last, never from what was told before, but for one thing: the list of steps of an
operation that was once found to be a move stays that of a move. A step may come again, if what it made is lost again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from cycloud.core.aip.progress import Progress
from cycloud.core.conditions import Condition

__all__ = ["InstanceSeen", "PartSeen", "progress_of"]


class Step(StrEnum):
    """What is being done, in the words that users read."""

    STOP = "Stopping the instance"
    REMOVE_SERVER = "Removing the server"
    DETACH_VOLUMES = "Detaching volumes"
    MOVE_VOLUMES = "Moving volumes with their data in place"
    PREPARE_VOLUMES = "Preparing volumes"
    PREPARE_INTERFACES = "Preparing network interfaces"
    RELEASE_INTERFACES = "Releasing network interfaces"
    CREATE_SERVER = "Creating the server"
    START = "Starting the instance"
    ATTACH = "Attaching and detaching"
    CHANGE = "Applying the change"


_CREATE = (Step.PREPARE_VOLUMES, Step.PREPARE_INTERFACES, Step.CREATE_SERVER)
_MOVE = (
    Step.STOP,
    Step.REMOVE_SERVER,
    Step.DETACH_VOLUMES,
    Step.MOVE_VOLUMES,
    Step.PREPARE_INTERFACES,
    Step.CREATE_SERVER,
)
# another type in the same place: the server is made anew
_REMAKE = (
    Step.STOP,
    Step.REMOVE_SERVER,
    Step.DETACH_VOLUMES,
    Step.PREPARE_INTERFACES,
    Step.CREATE_SERVER,
)
_DELETE = (Step.REMOVE_SERVER, Step.RELEASE_INTERFACES)
_RESTART = (Step.STOP, Step.START)
_SINGLE: Mapping[str, tuple[Step, ...]] = {
    "start": (Step.START,),
    "stop": (Step.STOP,),
    "attachVolume": (Step.ATTACH,),
    "detachVolume": (Step.ATTACH,),
}
# of Ready=False: all is going as it should, so the step says more than the reason
_ON_THE_WAY = frozenset(
    {
        "Creating",
        "Deleting",
        "Moving",
        "NetworkInterfaceAttachmentFailed",
        "RootVolumeIsNotReady",
        "Starting",
        "Stopping",
        "Updating",
        "VolumeAttachmentsAreNotReady",
    }
)


@dataclass(frozen=True)
class PartSeen:
    """A volume or network interface. ``elsewhere``: its data is in another place than the one wanted."""

    ready: bool
    attached: bool = False
    elsewhere: bool = False


@dataclass(frozen=True)
class InstanceSeen:
    """What was seen last. ``server``: its status, empty where there is none; ``elsewhere``: it is to be in another
    place than it is; ``remade``: it must be made anew where it is.
    """

    ready: Condition
    server: str = ""
    elsewhere: bool = False
    remade: bool = False
    volumes: tuple[PartSeen, ...] = ()
    interfaces: tuple[PartSeen, ...] = ()


def progress_of(verb: str, seen: InstanceSeen, steps_before: int) -> Progress:
    """Return how far the operation ``verb`` is. ``steps_before``: of how many steps it was said to be, 0 at first."""
    steps = _steps(verb, seen, steps_before)
    step = steps[0] if len(steps) == 1 else _present(steps, seen)
    on_the_way = seen.ready.reason in _ON_THE_WAY and not seen.ready.terminal
    message = step.value if on_the_way else f"{seen.ready.reason}: {seen.ready.message}"
    return Progress(message, steps.index(step) + 1, len(steps))


def _steps(verb: str, seen: InstanceSeen, before: int) -> tuple[Step, ...]:
    if verb == "create":
        return _CREATE
    if verb == "delete":
        return _DELETE
    if verb in ("stop", "attachVolume", "detachVolume"):
        return _SINGLE[verb]
    if before == len(_MOVE) or seen.elsewhere or any(v.elsewhere for v in seen.volumes):
        return _MOVE
    if before == len(_REMAKE) or seen.remade:
        return _REMAKE
    if not seen.server:
        return _CREATE
    if verb == "restart":
        return _RESTART
    return _SINGLE.get(verb, (Step.CHANGE,))


def _present(steps: tuple[Step, ...], seen: InstanceSeen) -> Step:
    """Return the first of the steps that is still to be done, or is being done."""
    leaves = seen.elsewhere or seen.remade
    to_do = {
        Step.STOP: seen.server == "ACTIVE" and (leaves or steps is _RESTART),
        Step.REMOVE_SERVER: bool(seen.server) and (leaves or steps is _DELETE),
        Step.DETACH_VOLUMES: not seen.server and any(v.attached for v in seen.volumes),
        Step.MOVE_VOLUMES: not seen.server and not all(v.ready for v in seen.volumes),
        Step.PREPARE_VOLUMES: not seen.server and not all(v.ready for v in seen.volumes),
        Step.PREPARE_INTERFACES: not seen.server and not all(i.ready for i in seen.interfaces),
    }
    return next((step for step in steps if to_do.get(step)), steps[-1])
