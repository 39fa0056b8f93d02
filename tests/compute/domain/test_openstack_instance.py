"""The server's decision: a table for each rule, and properties on a model of two clouds."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compute.domain.openstack_instance import decide
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
    Part,
    RecordServer,
    ServerGone,
    SetRun,
    StartServer,
    StopServer,
)
from cycloud.core.conditions import find_condition
from cycloud.core.reconcile.outcomes import Done, Transient
from cycloud.core.reconcile.plans import Plan, not_ready
from cycloud.openstack.observations import FLAVOR_KEY, RUN_KEY, ServerSeen

ROOT, DATA, PORT = Part("root", "v0", True), Part("data", "v1", True), Part("nic", "p0", True)


def server(
    id_: str = "s1", status: str = "ACTIVE", task: str | None = None, **kw: Any
) -> ServerSeen:
    meta = {RUN_KEY: str(kw.pop("run", 1)), FLAVOR_KEY: kw.pop("flavor", "f1")}
    defaults: dict[str, Any] = {"metadata": meta, "volume_ids": ("v0", "v1"), "task_state": task}
    return ServerSeen(id=id_, status=status, **{**defaults, **kw})


def wanted(**kw: Any) -> Desired:
    defaults: dict[str, Any] = {
        "target": "a",
        "flavor_id": "f1",
        "run": 1,
        "running": True,
        "volumes": (ROOT, DATA),
        "ports": (PORT,),
        "server_id": "s1",
    }
    return Desired(**{**defaults, **kw})


def seen(*servers: ServerSeen, there: tuple[ServerSeen, ...] | None = (), **kw: Any) -> Observed:
    """``servers`` in a, ``there`` in b."""
    return Observed({"a": servers, "b": there}, **{"port_ids": ("p0",), "blockers": (), **kw})


def moving(**kw: Any) -> Desired:
    return wanted(target="b", run=2, flavor_id="f2", footprint=frozenset({"a"}), **kw)


def visible(plan: Plan[Action]) -> list[Action]:
    return [a for a in plan.actions if not isinstance(a, RecordServer)]


BLOCKED = (Blocker("data: it has snapshots.", "data"),)


@pytest.mark.parametrize(
    ("desired", "observed", "actions", "reason"),
    [
        pytest.param(wanted(), seen(), [CreateServer("a")], "Creating", id="made when all is there"),
        pytest.param(wanted(), Observed({"a": None}), [], "ProviderUnreachable", id="unknown never creates"),
        pytest.param(
            moving(), seen(server(), there=None), [], "ProviderUnreachable", id="nor deletes"
        ),
        pytest.param(
            wanted(volumes=(replace(ROOT, ready=False), DATA)), seen(), [], "RootVolumeIsNotReady",
            id="waits for the root volume",
        ),
        pytest.param(
            wanted(volumes=(ROOT, replace(DATA, ready=False))), seen(), [],
            "VolumeAttachmentsAreNotReady", id="waits for the other volumes",
        ),
        pytest.param(
            wanted(ports=(replace(PORT, ready=False),)), seen(), [],
            "NetworkInterfaceAttachmentFailed", id="waits for the ports",
        ),
        pytest.param(wanted(volumes=()), seen(), [], "InvalidConfiguration", id="nothing to boot from"),
        pytest.param(wanted(running=False), seen(), [], "Stopped", id="not made while stopped"),
        pytest.param(wanted(), seen(server()), [], "Updated", id="as wanted"),
        pytest.param(
            wanted(running=False), seen(server(status="SHUTOFF")), [], "Stopped", id="stopped as wanted"
        ),
        pytest.param(
            wanted(running=False), seen(server()), [StopServer("a", "s1")], "Stopping", id="stop"
        ),
        pytest.param(
            wanted(), seen(server(status="SHUTOFF")), [StartServer("a", "s1")], "Starting", id="start"
        ),
        pytest.param(
            wanted(run=2), seen(server(status="SHUTOFF")), [SetRun("a", "s1", 2)], "Starting",
            id="a new run is noted before the start",
        ),
        pytest.param(
            wanted(run=2), seen(server()), [StopServer("a", "s1")], "Stopping", id="restart stops first"
        ),
        pytest.param(
            wanted(run=2, flavor_id="f2"), seen(server()), [StopServer("a", "s1")], "Stopping",
            id="another type in the cluster stops first",
        ),
        pytest.param(
            wanted(run=2, flavor_id="f2"), seen(server(status="SHUTOFF")), [DeleteServer("a", "s1")],
            "Updating", id="then the server is made anew",
        ),
        pytest.param(
            wanted(run=2, flavor_id="f2"), seen(server(), blockers=BLOCKED), [], "MoveBlocked",
            id="unless something blocks it",
        ),
        pytest.param(
            wanted(flavor_id="f2"), seen(server()), [], "Updated",
            id="a catalog that changes under a running server touches nothing",
        ),
        pytest.param(
            wanted(), seen(server(status="BUILD", task="spawning")), [], "Creating", id="being built"
        ),
        pytest.param(
            wanted(running=False), seen(server(task="powering-off")), [], "Stopping",
            id="a task is waited for",
        ),
        pytest.param(
            wanted(), seen(server(task="rebooting")), [], "Updating", id="an unknown task, too"
        ),
        pytest.param(
            wanted(), seen(server(status="ERROR")), [DeleteServer("a", "s1")], "ProviderError",
            id="a server in error is made anew",
        ),
        pytest.param(
            wanted(), seen(server(status="ERROR", task="deleting")), [], "ProviderError",
            id="but not while it is being deleted",
        ),
        pytest.param(
            moving(), seen(server()), [StopServer("a", "s1")], "Moving", id="a move stops the guest first"
        ),
        pytest.param(
            moving(), seen(server(status="SHUTOFF")), [DeleteServer("a", "s1")], "Moving",
            id="then deletes the server",
        ),
        pytest.param(
            moving(), seen(server(status="SHUTOFF", task="deleting")), [], "Moving",
            id="and waits until it is gone",
        ),
        pytest.param(
            moving(), seen(server(status="BUILD", task="spawning")), [DeleteServer("a", "s1")], "Moving",
            id="a server that is still being built is deleted at once",
        ),
        pytest.param(
            moving(), seen(server(), blockers=BLOCKED), [], "MoveBlocked", id="a blocked move touches nothing"
        ),
        pytest.param(
            moving(), seen(), [ForgetClusters(frozenset({"a"})), CreateServer("b")], "Creating",
            id="made in the target once it is gone",
        ),
        pytest.param(
            wanted(footprint=frozenset({"a", "b"})), seen(server()),
            [ForgetClusters(frozenset({"b"}))], "Updated", id="an old place is forgotten",
        ),
        pytest.param(
            wanted(change_pending=True), seen(server()), [], "Updated", id="a pending change waits"
        ),
        pytest.param(
            wanted(change_pending=True), seen(server(), blockers=BLOCKED), [], "MoveBlocked",
            id="a pending change that cannot be done is said while the guest runs",
        ),
        pytest.param(
            wanted(), seen(server(volume_ids=("v0",))), [AttachVolume("a", "s1", "v1")], "Updating",
            id="a missing volume is attached",
        ),
        pytest.param(
            wanted(volumes=(ROOT, replace(DATA, ready=False))), seen(server(volume_ids=("v0",))), [],
            "VolumeAttachmentsAreNotReady", id="once it is ready",
        ),
        pytest.param(
            wanted(volumes=(ROOT,), unwanted_volumes=frozenset({"v1", "v9"})), seen(server()),
            [DetachVolume("a", "s1", "v1")], "Updating", id="a volume of ours that left is detached",
        ),
        pytest.param(
            wanted(volumes=(ROOT,)), seen(server()), [], "Updated", id="a stranger's volume is left alone"
        ),
        pytest.param(
            wanted(), seen(server(), port_ids=()), [AttachPort("a", "s1", "p0")], "Updating",
            id="a missing port is attached",
        ),
        pytest.param(
            wanted(ports=(replace(PORT, ready=False),)), seen(server(), port_ids=()), [],
            "NetworkInterfaceAttachmentFailed", id="once that is ready",
        ),
        pytest.param(
            wanted(unwanted_ports=frozenset({"p7"})), seen(server(), port_ids=("p0", "p7")),
            [DetachPort("a", "s1", "p7")], "Updating", id="a port of ours that left is detached",
        ),
        pytest.param(
            wanted(), seen(server(), port_ids=None), [], "Updated", id="ports not seen are not touched"
        ),
        pytest.param(
            wanted(), seen(server("s1"), server("s2")), [DeleteServer("a", "s2")], "Creating",
            id="a server made twice is removed",
        ),
        pytest.param(wanted(wanted=False), seen(server()), [DeleteServer("a", "s1")], "Deleting", id="delete"),
        pytest.param(
            wanted(wanted=False), seen(server(task="deleting")), [], "Deleting", id="is waited for"
        ),
        pytest.param(
            wanted(wanted=False), seen(server(status="BUILD", task="spawning")),
            [DeleteServer("a", "s1")], "Deleting", id="delete while it is being built",
        ),
        pytest.param(wanted(wanted=False), seen(), [ServerGone()], "Deleting", id="gone"),
    ],
)  # fmt: skip
def test_rule(desired: Desired, observed: Observed, actions: list[Action], reason: str) -> None:
    plan = decide(desired, observed)
    assert (plan.conditions[0].reason, visible(plan)) == (reason, actions)


@pytest.mark.parametrize(
    ("desired", "observed"),
    [
        (moving(), seen(server(), blockers=None)),
        (wanted(run=2, flavor_id="f2"), seen(server(), blockers=None)),
        (wanted(change_pending=True), seen(server(), blockers=None)),
    ],
)
def test_what_could_refuse_a_change_is_looked_at_before_anything_is_touched(
    desired: Desired, observed: Observed
) -> None:
    plan = decide(desired, observed)
    assert plan.look_everywhere
    assert not visible(plan)


@pytest.mark.parametrize(
    "leaving",
    [
        server(status="SHUTOFF", task="deleting"),
        # Nova's own last step: the guest and its devices are gone, the record is still shown
        server(status="DELETED"),
    ],
)
def test_a_server_that_is_being_deleted_is_waited_for_without_looking_at_what_could_refuse(
    leaving: ServerSeen,
) -> None:
    plan = decide(moving(), seen(leaving, blockers=None))
    assert (plan.conditions[0].reason, plan.actions) == ("Moving", ())
    assert not plan.look_everywhere


@pytest.mark.parametrize(
    ("failed", "desired", "observed"),
    [
        ("stop", wanted(running=False), seen(server())),
        ("start", wanted(), seen(server(status="SHUTOFF"))),
        ("attach_volume", wanted(), seen(server(volume_ids=("v0",)))),
    ],
)
def test_what_failed_without_a_trace_on_the_server_is_tried_again_with_back_off(
    failed: str, desired: Desired, observed: Observed
) -> None:
    plan = decide(desired, replace(observed, last_failed_action=failed))
    assert visible(plan)
    assert isinstance(plan.outcome, Transient)


def test_the_cause_of_a_failed_create_stays_visible_while_it_is_tried_again() -> None:
    cause = not_ready("InsufficientCapacity", "No room.", terminal=True)
    assert decide(wanted(last_failure=cause), seen()).conditions[0] == cause
    building = seen(server(status="BUILD", task="spawning"))
    assert decide(wanted(last_failure=cause), building).conditions[0] == cause


def test_a_servers_fault_is_told_in_the_users_words() -> None:
    def words(s: ServerSeen) -> Any:
        return not_ready("InsufficientCapacity", f"told: {s.fault}")

    plan = decide(wanted(failure_of=words), seen(server(status="ERROR", fault="No valid host")))
    assert plan.conditions[0].message == "told: No valid host"


def test_a_pending_change_says_that_a_restart_is_required() -> None:
    plan = decide(wanted(change_pending=True), seen(server()))
    condition = find_condition(plan.conditions, "UpToDate")
    assert condition is not None
    assert (condition.status, condition.reason) == ("False", "RestartRequired")


@dataclass
class Model:
    """Two clouds with at most one server of ours each; volumes and ports follow the target at once."""

    servers: dict[str, dict[str, ServerSeen]] = field(default_factory=lambda: {"a": {}, "b": {}})
    desired: Desired = field(default_factory=wanted)
    counter: int = 0

    def observe(self) -> Observed:
        return Observed(
            {c: tuple(s.values()) for c, s in self.servers.items()}, port_ids=("p0",), blockers=()
        )

    def apply(self, action: Action) -> None:
        match action:
            case CreateServer(c):
                assert not any(self.servers.values()), "a guest would run twice"
                self.counter += 1
                d = self.desired
                new = server(f"n{self.counter}", run=d.run, flavor=d.flavor_id)
                self.servers[c][new.id] = new
            case DeleteServer(c, i):
                assert self.servers[c].pop(i).status != "ACTIVE", "deleted while it ran"
            case StopServer(c, i):
                self.servers[c][i] = replace(self.servers[c][i], status="SHUTOFF")
            case StartServer(c, i):
                self.servers[c][i] = replace(self.servers[c][i], status="ACTIVE")
            case SetRun(c, i, run):
                old = self.servers[c][i]
                self.servers[c][i] = replace(old, metadata={**old.metadata, RUN_KEY: str(run)})
            case RecordServer(_, s):
                self.desired = replace(self.desired, server_id=s.id)
            case ForgetClusters(gone):
                self.desired = replace(self.desired, footprint=self.desired.footprint - gone)
            case _:
                raise AssertionError(action)

    def settle(self, stop_after: int | None = None) -> None:
        for step in range(30):
            plan = decide(self.desired, self.observe())
            if stop_after is not None and step >= stop_after:
                return
            for action in plan.actions:
                self.apply(action)
            if isinstance(plan.outcome, Done):
                return
        raise AssertionError(f"does not converge: {plan}")


verbs = st.tuples(st.sampled_from(["stop", "start-a", "start-b", "start-a2"]), st.integers(0, 5))


@given(st.lists(verbs, max_size=8))
def test_any_chain_of_verbs_cut_off_anywhere_converges_to_one_server(
    chain: list[tuple[str, int]],
) -> None:
    model = Model()
    model.settle()
    for verb, cut in chain:
        if verb == "stop":
            model.desired = replace(model.desired, running=False)
        else:
            flavor, target = {"a": ("f1", "a"), "b": ("f2", "b"), "a2": ("f3", "a")}[verb[6:]]
            model.desired = replace(
                model.desired,
                running=True, run=model.desired.run + 1, flavor_id=flavor, target=target,
                footprint=model.desired.footprint | {"a", "b"},
            )  # fmt: skip
        model.settle(stop_after=cut)
    model.settle()
    there = [(c, s.status) for c, servers in model.servers.items() for s in servers.values()]
    if model.desired.running:
        assert there == [(model.desired.target, "ACTIVE")]
    else:
        assert there in ([], [(model.desired.target, "SHUTOFF")])
    second = decide(model.desired, model.observe())
    assert not visible(second), "a second plan is not empty"
