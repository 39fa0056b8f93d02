"""What an instance says about itself, from its provider rows. Pure."""

from dataclasses import dataclass, replace

from cycloud.core.conditions import READY, Condition, Status, find_condition
from cycloud.core.reconcile.plans import not_ready

_TRANSITIONS = {
    "Creating": "PENDING",
    "RootVolumeIsNotReady": "PENDING",
    "VolumeAttachmentsAreNotReady": "PENDING",
    "NetworkInterfaceAttachmentFailed": "PENDING",
    "Moving": "STARTING",
    "Starting": "STARTING",
    "Stopping": "STOPPING",
    "Deleting": "DELETING",
}


@dataclass(frozen=True)
class ProviderView:
    """The server row: its conditions, whether they are about its present spec, and Nova's status."""

    conditions: tuple[Condition, ...]
    current: bool
    server_status: str


def still_holds(view: ProviderView, running: bool) -> bool:
    """Whether what was said last stays true until the new spec has been looked at.

    A spec that only declares something for later (another type) must not make a running instance unready.
    """
    ready = find_condition(view.conditions, READY)
    as_wanted = (view.server_status == "ACTIVE") == running
    return not view.current and ready is not None and ready.status is Status.TRUE and as_wanted


def conditions_of(
    view: ProviderView | None, *, problem: str, deleting: bool, running: bool, generation: int
) -> tuple[Condition, ...]:
    """Return the instance's conditions for ``generation``.

    ``problem`` is a hole in the catalog that keeps the controllers from declaring a server at all. Conditions
    of an older spec of the server are not passed on: something is under way then.
    """
    if deleting:
        found: tuple[Condition, ...] = (not_ready("Deleting", "The instance is being deleted."),)
    elif problem:
        found = (not_ready("InvalidConfiguration", problem, terminal=True),)
    elif view is None:
        found = (not_ready("Creating", "The server is being made."),)
    elif not view.current or find_condition(view.conditions, READY) is None:
        found = (_under_way(view, running),)
    else:
        found = view.conditions
    return tuple(replace(c, observed_generation=generation) for c in found)


def _under_way(view: ProviderView, running: bool) -> Condition:
    if not view.server_status:
        return not_ready("Creating", "The server is being made.")
    if running and view.server_status == "SHUTOFF":
        return not_ready("Starting", "The instance is being started.")
    if not running and view.server_status == "ACTIVE":
        return not_ready("Stopping", "The instance is being stopped.")
    return not_ready("Updating", "The instance is being changed.")


def state_of(conditions: tuple[Condition, ...], server_status: str) -> str:
    """Return the AIP-216 state, for people: PENDING RUNNING STOPPING STOPPED STARTING DELETING ERROR."""
    ready = find_condition(conditions, READY)
    if ready is None:
        return "PENDING"
    if ready.status is Status.TRUE:
        return "STOPPED" if ready.reason == "Stopped" else "RUNNING"
    if ready.reason == "Deleting":
        return "DELETING"
    if server_status == "ACTIVE" and ready.reason not in ("Stopping", "Moving"):
        return "RUNNING"
    if server_status == "SHUTOFF" and ready.reason not in _TRANSITIONS:
        return "STOPPED"
    return "ERROR" if ready.terminal else _TRANSITIONS.get(ready.reason, "PENDING")
