"""What to do about the server of one instance, given what every cluster shows of it.

The rules (design section 3, and what the real clouds taught):

1. A server is made only in the target, and only when no other cluster has one: a guest never runs twice.
2. A server that must go is stopped first, and deleted when it is off; DELETE is repeated until 404, and only
   while no task is set (Nova answers 204 and ignores it otherwise).
3. Before the first step of a move everything that could refuse it is checked; a refusal touches nothing.
4. Another flavor or cluster is taken only with a new ``run``: the catalog may change under a running server.
5. A failed stop or attach shows only in the server's actions.
"""

from dataclasses import replace

from compute.domain.openstack_instance_state import (
    Action,
    AttachPort,
    AttachVolume,
    Blocker,
    CreateServer,
    DeleteServer,
    Desired,
    DetachPort,
    DetachVolume,
    ForgetClusters,
    Observed,
    RecordServer,
    ServerGone,
    SetRun,
    StartServer,
    StopServer,
)
from cycloud.core.conditions import UP_TO_DATE, Condition, Status
from cycloud.core.reconcile.plans import (
    AGAIN,
    BLOCKED_RECHECK_SECONDS,
    POLL,
    Done,
    Plan,
    Transient,
    Wait,
    not_ready,
    ready,
    unreachable,
)
from cycloud.openstack.observations import FLAVOR_KEY, RUN_KEY, ServerSeen

Placed = tuple[str, ServerSeen]
# of Ready while a server makes way for one of another type in the same place
MADE_ANEW = "The server is being made anew."


def decide(desired: Desired, observed: Observed) -> Plan[Action]:
    """Return the next step for the server."""
    candidates = desired.footprint | {desired.target}
    if any(observed.servers.get(c) is None for c in candidates):
        condition, outcome = unreachable("The instance")
        return Plan((condition,), outcome)
    servers = [(c, s) for c in sorted(observed.servers) for s in observed.servers[c] or ()]
    if not desired.wanted:
        return _remove(servers)
    strays = [(c, s) for c, s in servers if c != desired.target]
    if strays:
        return _leave(desired, observed, strays)
    here = [s for _, s in servers]
    if not here:
        return _make(desired, observed)
    keep = min(here, key=lambda s: (s.id != desired.server_id, s.status == "ERROR", s.id))
    if len(here) > 1:
        extra = tuple(
            DeleteServer(desired.target, s.id) for s in here if s is not keep and _idle(s)
        )
        return Plan((not_ready("Creating", "A server made twice is being removed."),), POLL, extra)
    return _tend(desired, observed, keep)


def _idle(server: ServerSeen) -> bool:
    """Whether Nova would heed a request. DELETED: it was, and Nova itself takes away what it still shows."""
    return server.task_state is None and server.status != "DELETED"


def is_busy(server: ServerSeen) -> bool:
    """Whether Nova is at work on the server, so that there is nothing to do but to wait or to delete it."""
    return server.status == "BUILD" or not _idle(server)


def _run_of(server: ServerSeen) -> int:
    text = server.metadata.get(RUN_KEY, "")
    return int(text) if text.isdigit() else 0


def _remove(servers: list[Placed]) -> Plan[Action]:
    deleting = not_ready("Deleting", "The instance is being deleted.")
    if not servers:
        return Plan((deleting,), Done(), (ServerGone(),))
    actions = tuple(
        DeleteServer(c, s.id)
        for c, s in servers
        if _idle(s) or (s.status == "BUILD" and s.task_state != "deleting")
    )
    return Plan((deleting,), POLL, actions)


def _leave(desired: Desired, observed: Observed, strays: list[Placed]) -> Plan[Action]:
    """A server is in another cluster than the wanted one: the first half of a move."""
    moving = not_ready("Moving", "The instance is moving to its new instance type.")
    steps = [_take_down(desired, observed, c, s) for c, s in strays]
    actions = tuple(action for step in steps for action in step.actions)
    if not actions:
        # being deleted: there is nothing to be done, so nothing to be refused
        return Plan((moving,), POLL)
    if observed.blockers is None:
        return Plan((moving,), AGAIN, look_everywhere=True)
    if observed.blockers:
        return Plan((_blocked(observed.blockers),), Wait(BLOCKED_RECHECK_SECONDS, "move blocked"))
    return Plan((moving,), steps[0].outcome, actions)


def _blocked(blockers: tuple[Blocker, ...]) -> Condition:
    message = " ".join(b.message for b in blockers)
    return not_ready("MoveBlocked", message, terminal=True)


def _take_down(
    desired: Desired, observed: Observed, cluster: str, server: ServerSeen
) -> Plan[Action]:
    """Stop, then delete: one step of it."""
    condition = not_ready("Updating", MADE_ANEW)
    if server.status == "BUILD" and server.task_state != "deleting":
        return Plan((condition,), POLL, (DeleteServer(cluster, server.id),))
    if not _idle(server):
        return Plan((condition,), POLL)
    if server.status == "ACTIVE":
        return _power(desired, observed, cluster, server, running=False)
    return Plan((condition,), POLL, (DeleteServer(cluster, server.id),))


def _make(desired: Desired, observed: Observed) -> Plan[Action]:
    """No cluster has a server."""
    footprint = desired.footprint - {desired.target}
    forget: tuple[Action, ...] = (ForgetClusters(footprint),) if footprint else ()
    if not desired.running:
        return Plan((ready("Stopped"), *_pending(desired, observed)), Done(), forget)
    if not desired.volumes:
        condition = not_ready(
            "InvalidConfiguration",
            "The instance has no volume to boot from; attach one.",
            terminal=True,
        )
        return Plan((condition,), Done(), forget)
    waiting = _waiting_for_parts(desired)
    if waiting is not None:
        return Plan((waiting,), Wait(5.0, "volumes or ports are not ready"), forget)
    reason = desired.last_failure or not_ready("Creating", "The server is being made.")
    return Plan((reason,), POLL, (*forget, CreateServer(desired.target)))


def _waiting_for_parts(desired: Desired) -> Condition | None:
    root = desired.volumes[0]
    if not root.ready:
        return not_ready(
            "RootVolumeIsNotReady",
            root.message or f"{root.name} is not ready yet.",
            terminal=root.blocked,
        )
    for volume in desired.volumes[1:]:
        if not volume.ready:
            message = volume.message or f"{volume.name} is not ready yet."
            return not_ready("VolumeAttachmentsAreNotReady", message, terminal=volume.blocked)
    for port in desired.ports:
        if not port.ready:
            message = port.message or f"{port.name} is not ready yet."
            return not_ready("NetworkInterfaceAttachmentFailed", message, terminal=port.blocked)
    return None


def _pending(desired: Desired, observed: Observed) -> tuple[Condition, ...]:
    """The UpToDate condition: a change of the type that waits for the user's stop and start."""
    if not desired.change_pending:
        return (Condition(UP_TO_DATE, Status.TRUE, "Applied"),)
    message = (
        "The new instance type is taken at the next start: stop the instance and start it again."
    )
    return (Condition(UP_TO_DATE, Status.FALSE, "RestartRequired", message),)


def _tend(desired: Desired, observed: Observed, server: ServerSeen) -> Plan[Action]:
    """Exactly one server, in the right cluster."""
    target = desired.target
    if server.status == "BUILD":
        condition = desired.last_failure or not_ready("Creating", "The server is being made.")
        return Plan((condition,), POLL, _record(desired, server))
    if server.status == "ERROR":
        return _mend(desired, server)
    if not _idle(server):
        return Plan((_under_way(desired, server),), POLL, _record(desired, server))
    record = _record(desired, server)
    if _run_of(server) < desired.run:
        return _after(record, _new_run(desired, observed, server))
    attach = _attach(desired, observed, server)
    if attach is not None:
        return _after(record, attach)
    is_running = server.status == "ACTIVE"
    if is_running != desired.running:
        return _after(record, _power(desired, observed, target, server, running=desired.running))
    return _settled(desired, observed, record)


def _after(first: tuple[Action, ...], plan: Plan[Action]) -> Plan[Action]:
    return replace(plan, actions=first + plan.actions)


def _record(desired: Desired, server: ServerSeen) -> tuple[Action, ...]:
    return (RecordServer(desired.target, server),)


def _under_way(desired: Desired, server: ServerSeen) -> Condition:
    words = {
        "powering-off": ("Stopping", "The instance is being stopped."),
        "powering-on": ("Starting", "The instance is being started."),
        "deleting": ("Updating", MADE_ANEW),
    }
    reason, message = words.get(
        server.task_state or "", ("Updating", "The server is being changed.")
    )
    return not_ready(reason, message)


def _mend(desired: Desired, server: ServerSeen) -> Plan[Action]:
    """A server in ERROR holds nothing that its volumes do not: it is removed and made anew, with back-off."""
    condition = desired.failure_of(server) if desired.failure_of else not_ready("ProviderError", "")
    actions = _record(desired, server)
    if not _idle(server) and server.task_state == "deleting":
        return Plan((condition,), POLL, actions)
    actions += (DeleteServer(desired.target, server.id),)
    return Plan((condition,), Transient(f"server in ERROR: {server.fault}"), actions)


def _new_run(desired: Desired, observed: Observed, server: ServerSeen) -> Plan[Action]:
    """The user started (or restarted) the instance since the server was last started."""
    target = desired.target
    if server.metadata.get(FLAVOR_KEY, "") != desired.flavor_id:
        if observed.blockers is None:
            return Plan(
                (not_ready("Updating", "The instance type is being changed."),),
                AGAIN,
                look_everywhere=True,
            )
        if observed.blockers:
            return Plan(
                (_blocked(observed.blockers),), Wait(BLOCKED_RECHECK_SECONDS, "change blocked")
            )
        return _take_down(desired, observed, target, server)
    if server.status == "ACTIVE":
        return _power(desired, observed, target, server, running=False)
    condition = not_ready("Starting", "The instance is being started.")
    return Plan((condition,), AGAIN, (SetRun(target, server.id, desired.run),))


def _attach(desired: Desired, observed: Observed, server: ServerSeen) -> Plan[Action] | None:
    """Bring attachments to what is wanted; None if they are."""
    target = desired.target
    actions: list[Action] = []
    have = set(server.volume_ids)
    missing = [v for v in desired.volumes[1:] if v.provider_id not in have]
    actions += [AttachVolume(target, server.id, v.provider_id) for v in missing if v.ready]
    actions += [DetachVolume(target, server.id, v) for v in sorted(desired.unwanted_volumes & have)]
    ports = set(observed.port_ids or ())
    absent = [p for p in desired.ports if observed.port_ids is not None and p.port_id not in ports]
    actions += [AttachPort(target, server.id, p.port_id) for p in absent if p.ready]
    actions += [DetachPort(target, server.id, p) for p in sorted(desired.unwanted_ports & ports)]
    if actions:
        condition = not_ready("Updating", "Volumes or network interfaces are being attached.")
        failed = observed.last_failed_action in (
            "attach_volume",
            "detach_volume",
            "attach_interface",
        )
        outcome = Transient("the last attempt to attach failed") if failed else POLL
        return Plan((condition,), outcome, tuple(actions))
    if missing or absent:
        message = next((x.message for x in (*missing, *absent) if x.message), "")
        reason = "VolumeAttachmentsAreNotReady" if missing else "NetworkInterfaceAttachmentFailed"
        blocked = any(x.blocked for x in (*missing, *absent))
        condition = not_ready(reason, message or "A part is not ready yet.", terminal=blocked)
        return Plan((condition,), Wait(5.0, "a part is not ready"))
    return None


def _power(
    desired: Desired, observed: Observed, cluster: str, server: ServerSeen, *, running: bool
) -> Plan[Action]:
    if running:
        condition = not_ready("Starting", "The instance is being started.")
        action: Action = StartServer(cluster, server.id)
        failed = observed.last_failed_action == "start"
    else:
        condition = not_ready("Stopping", "The instance is being stopped.")
        action = StopServer(cluster, server.id)
        failed = observed.last_failed_action == "stop"
    outcome = Transient(f"the last {'start' if running else 'stop'} failed") if failed else POLL
    return Plan((condition,), outcome, (action,))


def _settled(desired: Desired, observed: Observed, record: tuple[Action, ...]) -> Plan[Action]:
    pending = _pending(desired, observed)
    stale = desired.footprint - {desired.target}
    actions = (*record, ForgetClusters(stale)) if stale else record
    if desired.change_pending:
        if observed.blockers is None:
            return Plan((ready(_word(desired)), *pending), AGAIN, actions, look_everywhere=True)
        if observed.blockers:
            return Plan(
                (_blocked(observed.blockers), *pending), Wait(BLOCKED_RECHECK_SECONDS, ""), actions
            )
    return Plan((ready(_word(desired)), *pending), Done(), actions)


def _word(desired: Desired) -> str:
    return "Updated" if desired.running else "Stopped"
