"""The order of calls, against the services' rules in small."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from compute.kubernetes.instance_changes import (
    Attach,
    Detach,
    Step,
    Update,
    kept_volumes,
    plan_steps,
)
from compute.services.instances import InstanceUpdate, NetworkInterfaceReference

NIC = (NetworkInterfaceReference("ni"),)
VOLUMES = st.lists(st.sampled_from("bcdefg"), unique=True, max_size=6)
STATES = st.sampled_from(["RUNNING", "STOPPED"])


class RefusedError(Exception):
    pass


class Services:
    """What the services hold a caller to, and what they do."""

    def __init__(self, state: str, volumes: list[str]) -> None:
        self.state, self.volumes, self.type, self.started_as = state, volumes, "old", ""
        self.interfaces: object = None

    def run(self, step: Step) -> None:
        match step:
            case Update(changes):
                self.type = changes.instance_type or self.type
                if changes.network_interfaces is not None:
                    self._refuse_running()
                    self.interfaces = changes.network_interfaces
                if changes.desired_state == "RUNNING":
                    self.started_as = f"{self.type} {''.join(self.volumes)}"
                self.state = changes.desired_state or self.state
            case Detach(volume):
                self._refuse_running()
                self.volumes.remove(volume)
            case Attach(volume):
                self._refuse_running()
                assert volume not in self.volumes
                self.volumes.append(volume)

    def _refuse_running(self) -> None:
        if self.state == "RUNNING":
            raise RefusedError


@given(
    present=VOLUMES,
    wanted=VOLUMES,
    state=STATES,
    target=STATES,
    new_type=st.booleans(),
    nics=st.booleans(),
)
def test_all_is_as_declared_or_refused_where_a_running_instance_is_to_run_on(
    present: list[str], wanted: list[str], state: str, target: str, new_type: bool, nics: bool
) -> None:
    present, wanted = ["a", *present], ["a", *wanted]
    changes = InstanceUpdate(
        instance_type="new" if new_type else None,
        network_interfaces=NIC if nics else None,
        desired_state=target if target != state else None,
    )
    services = Services(state, list(present))
    steps = plan_steps(present, wanted, changes)
    parts = nics or present != wanted
    try:
        for step in steps:
            services.run(step)
    except RefusedError:
        assert parts
        assert (state, target) == ("RUNNING", "RUNNING")
        return
    assert not (parts and (state, target) == ("RUNNING", "RUNNING"))
    assert (services.volumes, services.state) == (wanted, target)
    assert (services.type == "new", services.interfaces is not None) == (new_type, nics)
    if (state, target) == ("STOPPED", "RUNNING"):
        assert services.started_as == f"{services.type} {''.join(wanted)}"
    if not parts and changes == InstanceUpdate():
        assert steps == []
    if present == wanted:
        # no more operations than needed
        assert len(steps) <= 1 + (nics and target == "STOPPED" and state == "RUNNING")


@given(present=VOLUMES, wanted=VOLUMES)
def test_as_many_volumes_as_possible_stay(present: list[str], wanted: list[str]) -> None:
    kept = list(kept_volumes(present, wanted))
    assert kept == wanted[: len(kept)]
    assert [name for name in present if name in kept] == kept
    longer = wanted[: len(kept) + 1]
    if len(longer) > len(kept):
        assert [name for name in present if name in longer] != longer


def test_a_volume_that_goes_goes_before_the_type_and_one_that_comes_comes_after() -> None:
    changes = InstanceUpdate(instance_type="new", desired_state="RUNNING")
    assert plan_steps(["a", "b"], ["a", "c"], changes) == [
        Detach("b"),
        Update(replace(changes, desired_state=None)),
        Attach("c"),
        Update(InstanceUpdate(desired_state="RUNNING")),
    ]


def test_a_stop_alone_goes_with_the_other_changes() -> None:
    changes = InstanceUpdate(instance_type="new", desired_state="STOPPED")
    assert plan_steps(["a"], ["a"], changes) == [Update(changes)]
