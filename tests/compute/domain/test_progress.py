"""Which step of which list a person is shown."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compute.domain.progress import InstanceSeen, PartSeen, progress_of
from cycloud.core.aip.progress import Progress
from cycloud.core.reconcile.plans import not_ready

DONE, WAITING = PartSeen(ready=True), PartSeen(ready=False)
HELD = PartSeen(ready=False, attached=True, elsewhere=True)
AWAY = PartSeen(ready=False, elsewhere=True)


def seen(reason: str = "Updating", **fields: Any) -> InstanceSeen:
    return InstanceSeen(not_ready(reason, "Because."), **fields)


MOVE: dict[str, Any] = {"elsewhere": True, "volumes": (HELD,), "interfaces": (WAITING,)}


@pytest.mark.parametrize(
    ("verb", "view", "before", "told"),
    [
        ("create", seen(volumes=(DONE, WAITING)), 0, ("Preparing volumes", 1, 3)),
        (
            "create",
            seen(volumes=(DONE,), interfaces=(WAITING,)),
            3,
            ("Preparing network interfaces", 2, 3),
        ),
        ("create", seen(volumes=(DONE,), interfaces=(DONE,)), 3, ("Creating the server", 3, 3)),
        ("create", seen(server="BUILD", volumes=(WAITING,)), 3, ("Creating the server", 3, 3)),
        ("stop", seen("Stopping", server="ACTIVE"), 0, ("Stopping the instance", 1, 1)),
        ("start", seen("Starting", server="SHUTOFF"), 0, ("Starting the instance", 1, 1)),
        ("restart", seen("Stopping", server="ACTIVE"), 0, ("Stopping the instance", 1, 2)),
        ("restart", seen("Starting", server="SHUTOFF"), 2, ("Starting the instance", 2, 2)),
        ("update", seen(server="ACTIVE"), 0, ("Applying the change", 1, 1)),
        ("attachVolume", seen(server="SHUTOFF"), 0, ("Attaching and detaching", 1, 1)),
        # a start that is a move, from its first step to its last
        ("restart", seen(server="ACTIVE", **MOVE), 0, ("Stopping the instance", 1, 6)),
        ("start", seen(server="SHUTOFF", **MOVE), 0, ("Removing the server", 2, 6)),
        ("start", seen(volumes=(HELD, AWAY)), 6, ("Detaching volumes", 3, 6)),
        ("start", seen(volumes=(DONE, AWAY)), 6, ("Moving volumes with their data in place", 4, 6)),
        ("start", seen(volumes=(WAITING,)), 6, ("Moving volumes with their data in place", 4, 6)),
        (
            "start",
            seen(volumes=(DONE,), interfaces=(WAITING,)),
            6,
            ("Preparing network interfaces", 5, 6),
        ),
        ("start", seen(volumes=(DONE,), interfaces=(DONE,)), 6, ("Creating the server", 6, 6)),
        ("start", seen(server="BUILD", volumes=(DONE,)), 6, ("Creating the server", 6, 6)),
        # another type in the same place
        ("start", seen(server="SHUTOFF", remade=True), 0, ("Removing the server", 2, 5)),
        ("start", seen(volumes=(PartSeen(False, True),)), 5, ("Detaching volumes", 3, 5)),
        # a start of an instance that has no server, as after a fault
        ("start", seen(volumes=(WAITING,)), 0, ("Preparing volumes", 1, 3)),
        ("delete", seen("Deleting", server="ACTIVE"), 0, ("Removing the server", 1, 2)),
        ("delete", seen("Deleting"), 2, ("Releasing network interfaces", 2, 2)),
        # what does not go as it should is said in the words of the condition
        ("create", seen("QuotaExceeded"), 3, ("QuotaExceeded: Because.", 3, 3)),
    ],
)
def test_steps(verb: str, view: InstanceSeen, before: int, told: tuple[str, int, int]) -> None:
    assert progress_of(verb, view, before) == Progress(*told)


def test_a_reason_that_a_person_must_act_on_is_shown() -> None:
    blocked = not_ready("RootVolumeIsNotReady", "The data is lost.", terminal=True)
    assert progress_of("create", InstanceSeen(blocked), 0).message == (
        "RootVolumeIsNotReady: The data is lost."
    )


parts = st.lists(st.builds(PartSeen, st.booleans(), st.booleans(), st.booleans()), max_size=3)


@given(
    verb=st.sampled_from(
        ["create", "start", "stop", "restart", "update", "delete", "attachVolume", "detachVolume"]
    ),
    server=st.sampled_from(["", "BUILD", "ACTIVE", "SHUTOFF", "ERROR"]),
    elsewhere=st.booleans(),
    remade=st.booleans(),
    volumes=parts.map(tuple),
    interfaces=parts.map(tuple),
    before=st.sampled_from([0, 1, 2, 3, 5, 6]),
)
def test_a_step_is_always_one_of_its_list_and_a_move_stays_one(
    verb: str,
    server: str,
    elsewhere: bool,
    remade: bool,
    volumes: tuple[PartSeen, ...],
    interfaces: tuple[PartSeen, ...],
    before: int,
) -> None:
    view = seen(
        server=server,
        elsewhere=elsewhere,
        remade=remade,
        volumes=volumes,
        interfaces=interfaces,
    )
    told = progress_of(verb, view, before)
    assert 1 <= told.step <= told.total
    assert told.message
    again = progress_of(verb, view, told.total)
    assert (again.step, again.total) == (told.step, told.total)
