"""Every call to a cluster, over HTTP against the simulator with faults."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import pytest

from cycloud.openstack.access import ClusterAccess
from cycloud.openstack.counters import reset_counters, snapshot
from cycloud.openstack.faults import FaultKind, ProviderFault
from cycloud.openstack.hooks import call_hooks, current_hooks
from cycloud.openstack.limits import ClusterLimits, set_limits
from cycloud.openstack.sessions import OpenStackClient, client_for, forget_clients
from cycloud.simulator.server import SimulatorServer
from cycloud.simulator.site import Site

UNKNOWN_ID = "9b0a7c46-0000-4000-8000-000000000000"


@dataclass
class Bed:
    """One simulated cloud, a client of it, and the clock of its limits."""

    site: Site
    server: SimulatorServer
    access: ClusterAccess
    time: float = 0.0

    @property
    def client(self) -> OpenStackClient:
        return cast(OpenStackClient, client_for(self.access, timeout_seconds=2.0))

    def calls(self, service: str) -> int:
        return sum(1 for entry in self.site.requests if entry.service == service)


@pytest.fixture
def bed() -> Iterator[Bed]:
    forget_clients()
    reset_counters()
    site = Site(clouds=("a",))
    with SimulatorServer(site) as server:
        access = ClusterAccess(
            key="tokyo",
            revision=1,
            auth_url=server.auth_url("a"),
            username="cycloud",
            password="simulated",
            project_name="cycloud",
        )
        made = Bed(site, server, access)
        set_limits("tokyo", ClusterLimits(clock=lambda: made.time))
        yield made
    forget_clients()


def fault_of(bed: Bed) -> ProviderFault:
    with pytest.raises(ProviderFault) as caught:
        bed.client.get_server(UNKNOWN_ID)
    return caught.value


def test_one_method_is_one_request_once_there_is_a_token(bed: Bed) -> None:
    bed.client.get_server(UNKNOWN_ID)
    bed.site.requests.clear()

    bed.client.get_server(UNKNOWN_ID)
    bed.client.get_volume(UNKNOWN_ID)
    bed.client.get_port(UNKNOWN_ID)

    assert [(entry.service, entry.method) for entry in bed.site.requests] == [
        ("compute", "GET"),
        ("block-storage", "GET"),
        ("network", "GET"),
    ]


def test_hooks_see_each_call_before_and_after(bed: Bed) -> None:
    seen: list[tuple[object, ...]] = []
    with call_hooks(
        before=lambda *call: seen.append(("before", *call)),
        after=lambda *call: seen.append(("after", *call)),
    ):
        bed.client.get_server(UNKNOWN_ID)
        bed.client.delete_volume(UNKNOWN_ID)

    assert seen == [
        ("before", "nova", "get_server", False),
        ("after", "nova", "get_server", False),
        ("before", "cinder", "delete_volume", True),
        ("after", "cinder", "delete_volume", True),
    ]


class Stop(Exception):
    """Raised by a hook."""


def stop(service: str, verb: str, write: bool) -> None:
    raise Stop(verb)


def test_a_call_that_the_hook_forbids_is_not_made(bed: Bed) -> None:
    with call_hooks(before=stop), pytest.raises(Stop):
        bed.client.delete_server(UNKNOWN_ID)

    assert bed.calls("compute") == 0


def test_the_after_hook_runs_when_the_work_is_done_and_before_anybody_knows(bed: Bed) -> None:
    with call_hooks(after=stop), pytest.raises(Stop):
        bed.client.create_network(uid="u1", name="n")

    assert [n.uid for n in bed.client.find_networks("u1")] == ["u1"]


def test_inner_hooks_keep_the_outer_ones_they_do_not_replace() -> None:
    outermost = current_hooks()
    with call_hooks(before=stop) as outer, call_hooks(after=stop) as inner:
        assert inner.before is outer.before
        assert outer.after is outermost.after
    assert current_hooks() is outermost


def test_a_cluster_that_refuses_connections_is_unreachable_and_not_asked_twice(bed: Bed) -> None:
    bed.client.get_server(UNKNOWN_ID)
    before = bed.calls("compute")
    bed.site.faults.add("refuse", service="compute", times=10)

    assert fault_of(bed).kind is FaultKind.UNREACHABLE
    assert bed.calls("compute") - before == 1


def test_a_lost_answer_is_unreachable_although_the_work_was_done(bed: Bed) -> None:
    bed.client.find_networks("u1")
    bed.site.faults.add("lost_answer", service="network", method="POST")

    with pytest.raises(ProviderFault) as caught:
        bed.client.create_network(uid="u1", name="n")

    assert caught.value.kind is FaultKind.UNREACHABLE
    assert len(bed.client.find_networks("u1")) == 1


def test_a_slow_answer_is_unreachable(bed: Bed) -> None:
    client = cast(OpenStackClient, client_for(bed.access, timeout_seconds=0.3))
    client.get_server(UNKNOWN_ID)
    bed.site.faults.add("slow", service="compute", seconds=1.0)

    with pytest.raises(ProviderFault) as caught:
        client.get_server(UNKNOWN_ID)

    assert caught.value.kind is FaultKind.UNREACHABLE


def test_too_many_requests_pass_on_when_to_come_back(bed: Bed) -> None:
    bed.site.faults.add("rate_limit", service="compute", retry_after=7)

    fault = fault_of(bed)

    assert (fault.kind, fault.retry_after) == (FaultKind.RATE_LIMITED, 7.0)


def test_a_server_error_is_not_retried(bed: Bed) -> None:
    bed.client.get_server(UNKNOWN_ID)
    before = bed.calls("compute")
    bed.site.faults.add("status", service="compute", status=503, times=10)

    assert fault_of(bed).kind is FaultKind.SERVER_ERROR
    assert bed.calls("compute") - before == 1


def test_a_404_of_a_proxy_is_not_taken_for_absence(bed: Bed) -> None:
    bed.site.faults.add("status", service="compute", status=404, body="<html>nothing here</html>")

    assert fault_of(bed).kind is FaultKind.SERVER_ERROR


def test_after_five_failures_no_call_is_made_until_time_has_passed(bed: Bed) -> None:
    bed.client.get_server(UNKNOWN_ID)
    down = bed.site.faults.add("status", service="compute", status=500, times=100)
    for _ in range(5):
        assert fault_of(bed).status == 500
    made = bed.calls("compute")

    fault = fault_of(bed)

    assert (fault.kind, fault.text) == (FaultKind.UNREACHABLE, "circuit open")
    assert fault.retry_after == 5.0
    assert bed.calls("compute") == made
    assert bed.client.get_volume(UNKNOWN_ID) is None  # another service is not harmed
    bed.site.faults.remove(down)
    bed.time += 5.0
    assert bed.client.get_server(UNKNOWN_ID) is None
    assert bed.client.get_server(UNKNOWN_ID) is None


def test_an_expired_token_is_renewed_unseen(bed: Bed) -> None:
    bed.client.get_server(UNKNOWN_ID)
    bed.site.clouds["a"].tokens.clear()

    assert bed.client.get_server(UNKNOWN_ID) is None


def test_a_service_that_the_catalog_lacks_is_named(bed: Bed) -> None:
    connection = bed.client._connection
    connection.interface = "no-such-interface"

    fault = fault_of(bed)

    assert (fault.kind, fault.service) == (FaultKind.INVALID, "nova")
    assert "compute" in fault.text


def test_calls_are_counted_by_cluster_service_verb_and_status(bed: Bed) -> None:
    bed.client.get_server(UNKNOWN_ID)
    bed.client.get_server(UNKNOWN_ID)
    bed.site.faults.add("refuse", service="block-storage", times=2)
    with pytest.raises(ProviderFault):
        bed.client.get_volume(UNKNOWN_ID)

    assert snapshot() == {
        ("tokyo", "nova", "get_server", "404"): 2,
        ("tokyo", "cinder", "get_volume", "Unreachable"): 1,
    }


def test_a_listing_of_many_pages_is_read_to_the_end(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cycloud.openstack.connection.PAGE_SIZE", 2)
    client = bed.client
    network = client.create_network(uid="n", name="n")
    subnet = client.create_subnet(
        uid="n", name="n", network_id=network, cidr="10.0.0.0/24", gateway_ip=""
    )
    made = {
        client.create_port(
            uid=f"p{number}",
            network_id=network,
            subnet_id=subnet,
            ip_address=f"10.0.0.{number}",
            mac_address=f"fa:16:3e:00:00:{number:02x}",
        )
        for number in range(10, 15)
    }

    assert {port.id for port in client.list_ports()} == made


def test_credentials_without_a_project_are_refused(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = bed.client._connection
    monkeypatch.setattr(connection.session, "get_project_id", lambda: None)

    with pytest.raises(ProviderFault) as caught:
        bed.client.compute_quota()

    assert caught.value.kind is FaultKind.INVALID
    assert "project" in caught.value.text


@pytest.mark.parametrize("body", ["<html>please sign in</html>", {"hello": "world"}, "[]"])
def test_an_answer_that_is_not_of_the_api_is_not_an_empty_listing(bed: Bed, body: object) -> None:
    bed.site.faults.add("status", service="compute", status=200, body=body, times=2)

    with pytest.raises(ProviderFault) as listing:
        bed.client.find_servers("u1")
    with pytest.raises(ProviderFault) as getting:
        bed.client.get_server(UNKNOWN_ID)

    assert listing.value.kind is FaultKind.SERVER_ERROR
    assert getting.value.kind is FaultKind.SERVER_ERROR


def test_the_whole_storage_is_searched_page_by_page(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cycloud.openstack.volumes._MANAGEABLE_PAGE_SIZE", 2)
    for number in range(5):
        bed.site.storage.create(f"volume-{number}", 1 << 30)

    for number in range(5):
        found = bed.client.find_manageable("cinder-a@shared#shared", f"volume-{number}")
        assert found is not None
        assert found.reference == f"volume-{number}"
    assert bed.client.find_manageable("cinder-a@shared#shared", "volume-5") is None
