"""What ``check`` tells of the watcher and the worker."""

from datetime import UTC, datetime, timedelta

import pytest

from cycloud.core.clock import use_clock
from cycloud.core.reconcile.models import DueRow
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.install.findings import Level
from cycloud.kubernetes.install.processes import check_watcher, check_worker
from cycloud.kubernetes.kinds import Json
from tests.kubernetes.install.servers import FakeServer

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def noon() -> object:
    with use_clock(lambda: NOON):
        yield


def lease(holder: str, seconds_ago: float) -> Json:
    renewed = (NOON - timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    spec = {"holderIdentity": holder, "leaseDurationSeconds": 15, "renewTime": renewed}
    return {"metadata": {"name": "cycloud-watcher"}, "spec": spec}


@pytest.mark.parametrize(
    ("found", "level", "words"),
    [
        (None, Level.NOTE, "Nobody watches."),
        (lease("", 0), Level.NOTE, "Nobody watches."),
        (lease("host-1", 4), Level.GOOD, "host-1 watches; it said so 4 s ago."),
        # its clock may be a little ahead
        (lease("host-1", -1), Level.GOOD, "host-1 watches; it said so 0 s ago."),
        (
            lease("host-1", 3600),
            Level.NOTE,
            "host-1 watched until 3600 s ago, and nobody does now.",
        ),
    ],
)
def test_the_watcher_is_told_from_its_lease(found: Json | None, level: Level, words: str) -> None:
    objects = {} if found is None else {("Lease", "cycloud-watcher"): found}
    finding = check_watcher(FakeServer(objects=objects).client, "system")
    assert finding.level is level
    assert words in finding.text


def test_who_may_not_read_the_lease_is_told() -> None:
    faults = {"Lease": KubernetesFault(FaultKind.FORBIDDEN, "no")}
    assert check_watcher(FakeServer(faults=faults).client, "system").level is Level.NOTE
    faults = {"Lease": KubernetesFault(FaultKind.UNREACHABLE, "away")}
    with pytest.raises(KubernetesFault):
        check_watcher(FakeServer(faults=faults).client, "system")


@pytest.mark.django_db
def test_passes_that_nobody_runs_are_told() -> None:
    def row(
        key: str, minutes: float | None, queue: str = "kubernetes", leased: bool = False
    ) -> None:
        due = None if minutes is None else NOON - timedelta(minutes=minutes)
        DueRow.objects.create(
            controller="kubernetes",
            key=key,
            queue=queue,
            due=due,
            requested=NOON,
            lease_expires=NOON + timedelta(minutes=1) if leased else None,
        )

    row("fresh", 0.5)
    row("parked", None)
    row("under way", 5, leased=True)
    row("of a cluster", 60, queue="cluster.a")
    (finding,) = check_worker()
    assert finding.level is Level.GOOD
    row("old", 7)
    row("older", 30)
    (finding,) = check_worker()
    assert finding.level is Level.NOTE
    assert finding.text.startswith("2 passes are due, one for 30 minutes.")
