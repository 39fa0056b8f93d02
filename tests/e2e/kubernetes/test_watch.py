"""The watcher against a real API server: what people write is heard of, through cuts, and by one process only.

The kind is the tests' own and has no rows; what is looked at is the queue.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
import yaml
from django.test.utils import override_settings

from cycloud.core.reconcile.models import DueRow, Lane
from cycloud.kubernetes.client import KubernetesClient
from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.marks import CONTROLLER
from cycloud.kubernetes.watcher import kind_watch
from cycloud.kubernetes.watcher.lease import LEASE, Lease
from cycloud.kubernetes.watcher.relist import relist
from cycloud.kubernetes.watcher.watcher import LEASE_NAME, Watcher
from tests.e2e.kubernetes.harness.cutting import Cutter, cuttable
from tests.e2e.kubernetes.harness.gadgets import (
    DEFINITION,
    Gadgets,
    client_of,
    install,
    installed,
    namespace,
)
from tests.e2e.kubernetes.harness.server import ApiServer
from tests.e2e.kubernetes.harness.waiting import until

LEASE_SECONDS = 3
# a test that fails says so after that long
SECONDS = 20.0


@dataclass
class Bed:
    """``team``: a namespace that is bound to nobody; our Leases are there too."""

    client: KubernetesClient
    kind: Gadgets
    team: str

    def apply(self, name: str, **fields: object) -> Json:
        body: Json = {
            "apiVersion": self.kind.api.api_version,
            "kind": self.kind.api.kind,
            "metadata": {"name": name, "namespace": self.team},
            **fields,
        }
        return self.client.apply(self.kind.api, body, manager="flux")

    def settle(self, name: str) -> None:
        """Write the status that an object has when nobody waits for it."""
        found = self.client.get(self.kind.api, self.team, name)
        assert found is not None
        body = {key: found[key] for key in ("apiVersion", "kind")}
        metadata = {"name": name, "namespace": self.team}
        status = {"uid": "u", "observedGeneration": found["metadata"]["generation"]}
        body |= {"metadata": metadata, "status": status}
        self.client.apply_status(self.kind.api, body, manager="cycloud-status")

    def lane(self, name: str) -> int | None:
        """The lane of the row of an object; None where it is not marked."""
        key = f"Gadget:namespaces/{self.team}/gadgets/{name}"
        rows = DueRow.objects.filter(controller=CONTROLLER, key=key)
        return rows.values_list("lane", flat=True).first()

    def heard_of(self, name: str) -> float:
        """Wait until the object is marked; return the seconds that took."""
        return until(lambda: self.lane(name) is not None, f"{name} is marked", SECONDS)

    def watcher(self, client: KubernetesClient | None = None) -> Watcher:
        source = client or self.client
        return Watcher(source=source, kinds=[self.kind], lease_seconds=LEASE_SECONDS)

    @contextmanager
    def watching(self, client: KubernetesClient | None = None) -> Iterator[Watcher]:
        """Have a watcher that holds the Lease and watches."""
        watcher = self.watcher(client)
        watcher.start()
        try:
            until(lambda: watcher.watching, "the watch is open", SECONDS)
            yield watcher
        finally:
            assert watcher.stop()


@pytest.fixture(scope="module")
def client(server: ApiServer) -> Iterator[KubernetesClient]:
    client = client_of(server.kubeconfig())
    yield client
    client.close()


@pytest.fixture
def bed(client: KubernetesClient, database: None) -> Iterator[Bed]:
    with installed(client) as kind, namespace(client) as team:
        with override_settings(CYCLOUD_KUBERNETES_NAMESPACE=team):
            yield Bed(client, kind, team)
        DueRow.objects.filter(key__contains=team).delete()


def test_what_a_person_applies_is_marked_for_a_user_who_waits(bed: Bed) -> None:
    with bed.watching():
        bed.apply("new", spec={"size": 1})
        assert bed.heard_of("new") < 2.0
    assert bed.lane("new") == Lane.USER


def test_what_was_there_before_is_found_by_the_comparison_at_the_start(bed: Bed) -> None:
    bed.apply("before")
    with bed.watching():
        bed.heard_of("before")
    assert bed.lane("before") == Lane.RESYNC


def test_an_event_for_which_nobody_waits_goes_behind_users(bed: Bed) -> None:
    bed.apply("settled")
    bed.settle("settled")
    with bed.watching():
        bed.heard_of("settled")
        DueRow.objects.all().delete()
        bed.client.patch_merge(
            bed.kind.api, bed.team, "settled", {"metadata": {"labels": {"a": "b"}}}
        )
        bed.heard_of("settled")
    assert bed.lane("settled") == Lane.EVENT


def test_a_deletion_is_heard_of(bed: Bed) -> None:
    made = bed.apply("going")
    with bed.watching():
        bed.heard_of("going")
        DueRow.objects.all().delete()
        bed.client.delete(bed.kind.api, bed.team, "going", uid=made["metadata"]["uid"])
        bed.heard_of("going")


def test_a_watcher_stops_promptly_and_gives_its_lease_back(bed: Bed) -> None:
    with bed.watching() as watcher:
        assert lease(bed)["spec"]["holderIdentity"]
        assert stopped_in(watcher) < 2.0
    assert not watcher.running
    assert lease(bed)["spec"]["holderIdentity"] == ""


def test_only_one_watches_and_the_other_takes_over_at_its_end(bed: Bed) -> None:
    with bed.watching() as first:
        second = bed.watcher()
        second.start()
        try:
            until(lambda: "stands by" in second.status, "the second one has looked", SECONDS)
            assert not second.watching
            assert first.watching
            first.stop()
            until(lambda: second.watching, "the second one watches", SECONDS)
            bed.apply("later")
            bed.heard_of("later")
        finally:
            assert second.stop()


def test_a_lease_of_one_that_died_is_taken_over_when_it_has_run_out(bed: Bed) -> None:
    dead = Lease(bed.client, bed.team, LEASE_NAME, "dead", duration_seconds=LEASE_SECONDS)
    assert dead.try_acquire()
    with bed.watching():
        assert lease(bed)["spec"]["holderIdentity"] != "dead"
        assert lease(bed)["spec"]["leaseTransitions"] == 1


def test_a_lost_lease_makes_everything_be_compared_again(bed: Bed) -> None:
    """As after a wipe of etcd: versions begin anew, and a watch from an old one would hear nothing."""
    bed.apply("there")
    with bed.watching():
        bed.heard_of("there")
        DueRow.objects.all().delete()
        bed.client.delete(LEASE, bed.team, LEASE_NAME, uid=lease(bed)["metadata"]["uid"])
        bed.heard_of("there")
    assert bed.lane("there") == Lane.RESYNC


def test_a_kind_that_is_installed_later_is_watched_then(bed: Bed) -> None:
    found = bed.client.get(DEFINITION, "", bed.kind.api.definition)
    assert found is not None
    bed.client.delete(DEFINITION, "", bed.kind.api.definition, uid=found["metadata"]["uid"])
    until(lambda: bed.client.get(DEFINITION, "", bed.kind.api.definition) is None, "it is gone")
    watcher = bed.watcher()
    watcher.start()
    try:
        until(lambda: "0 of 1" in watcher.status, "it has the Lease", SECONDS)
        install(bed.client, bed.kind.api)
        until(lambda: watcher.watching, "the kind is watched", SECONDS)
        bed.apply("later")
        bed.heard_of("later")
    finally:
        assert watcher.stop()


def test_nothing_is_missed_while_the_server_ends_every_watch_after_a_second(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind_watch, "SHORTEST_SECONDS", 1)
    monkeypatch.setattr(kind_watch, "LONGEST_SECONDS", 1)
    with bed.watching() as watcher:
        for number in range(60):
            bed.apply(f"steady-{number}")
        opened = watches_of(watcher)
        until(lambda: watches_of(watcher) >= opened + 3, "three watches more", SECONDS)
        bed.apply("last")
        for name in [*(f"steady-{number}" for number in range(60)), "last"]:
            bed.heard_of(name)
            assert bed.lane(name) == Lane.USER


def test_nothing_is_missed_while_connections_are_cut_again_and_again(
    bed: Bed, server: ApiServer, tmp_path: Path
) -> None:
    with cuttable(server) as cutter:
        through = client_of(by_way_of(cutter, server, tmp_path))
        with bed.watching(through), cutting(cutter, 0.3):
            for number in range(40):
                bed.apply(f"cut-{number}")
                if number % 10 == 0:
                    cutter.until_cut(SECONDS)
            for number in range(40):
                bed.heard_of(f"cut-{number}")
        assert cutter.cuts >= 4


def test_a_server_that_is_away_for_a_while_is_gone_on_with(
    bed: Bed, server: ApiServer, tmp_path: Path
) -> None:
    with cuttable(server) as cutter:
        through = client_of(by_way_of(cutter, server, tmp_path))
        with bed.watching(through) as watcher:
            cutter.refusing = True
            cutter.cut()
            until(lambda: not watcher.watching, "the watch has ended", SECONDS)
            bed.apply("meanwhile")
            assert bed.lane("meanwhile") is None
            cutter.refusing = False
            bed.heard_of("meanwhile")


def test_a_comparison_asks_for_no_object_by_itself(bed: Bed) -> None:
    for number in range(7):
        bed.apply(f"many-{number}")
    relisted = relist([bed.kind], source=bed.client)
    assert (relisted.objects, relisted.marked) == (7, 7)
    assert bed.lane("many-6") == Lane.RESYNC


# -- helpers


def lease(bed: Bed) -> Json:
    found = bed.client.get(LEASE, bed.team, LEASE_NAME)
    assert found is not None
    return found


def stopped_in(watcher: Watcher) -> float:
    done = threading.Event()

    def stop() -> None:
        watcher.stop()
        done.set()

    threading.Thread(target=stop).start()
    return until(done.is_set, "the watcher stops", SECONDS)


def watches_of(watcher: Watcher) -> int:
    """How many watches were opened so far."""
    assert watcher._session is not None
    return watcher._session.watches[0].opened


def by_way_of(cutter: Cutter, server: ApiServer, folder: Path) -> Path:
    """Return a kubeconfig for the way that is cut."""
    document = yaml.safe_load(server.kubeconfig().read_text())
    document["clusters"][0]["cluster"]["server"] = cutter.url
    path = folder / f"config-{uuid4().hex}"
    path.write_text(yaml.safe_dump(document))
    return path


@contextmanager
def cutting(cutter: Cutter, every_seconds: float) -> Iterator[None]:
    """Cut all connections so often, for the length of a block."""
    end = threading.Event()

    def cut() -> None:
        while not end.wait(every_seconds):
            cutter.cut()

    thread = threading.Thread(target=cut, daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join(SECONDS)
