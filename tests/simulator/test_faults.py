"""Faults on request, as openstacksdk meets them."""

import time

import pytest
import requests
from keystoneauth1.exceptions import ConnectFailure
from openstack.connection import Connection
from openstack.exceptions import HttpException

from cycloud.simulator.faults import Faults
from cycloud.simulator.server import SimulatorServer
from cycloud.simulator.site import Site
from tests.simulator.api import Api, message
from tests.simulator.conftest import StandingClock


def test_a_refused_request_is_a_connection_error_and_is_not_done(
    site: Site, sdk_a: Connection
) -> None:
    list(sdk_a.block_storage.volumes())
    site.faults.add("refuse", cloud="a", service="block-storage", method="POST")

    with pytest.raises(ConnectFailure):
        sdk_a.block_storage.create_volume(size=1)

    assert site.clouds["a"].volumes == {}
    sdk_a.block_storage.create_volume(size=1)
    assert len(site.clouds["a"].volumes) == 1


def test_a_lost_answer_is_a_connection_error_although_the_work_is_done(
    site: Site, sdk_a: Connection
) -> None:
    site.faults.add("lost_answer", cloud="a", service="volume", method="POST")

    with pytest.raises(ConnectFailure):
        sdk_a.block_storage.create_volume(size=1)

    (volume,) = sdk_a.block_storage.volumes()
    assert volume.status == "available"


def test_a_service_that_is_down_refuses_until_the_fault_is_removed(
    site: Site, sdk_a: Connection
) -> None:
    list(sdk_a.compute.servers())
    fault = site.faults.add("down", cloud="a", service="compute")

    for _ in range(3):
        with pytest.raises(ConnectFailure):
            list(sdk_a.compute.servers())
    assert not list(sdk_a.block_storage.volumes())
    site.faults.remove(fault)
    assert not list(sdk_a.compute.servers())


def test_the_other_cloud_does_not_feel_a_fault(site: Site, a: Api, b: Api) -> None:
    site.faults.add("status", cloud="a", status=503, times=0)

    assert a.compute("GET", "/servers").status_code == 503
    assert b.compute("GET", "/servers").status_code == 200


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_status_is_answered_in_the_shape_of_the_service(site: Site, a: Api, status: int) -> None:
    site.faults.add("status", status=status, times=4)

    for answer in (a.compute("POST", "/servers", {}), a.volume("GET", "/volumes")):
        assert answer.status_code == status
        assert message(answer) == "Injected by the simulator."
    network = a.network("GET", "/ports")
    assert network.json()["NeutronError"]["message"] == "Injected by the simulator."
    image = a.session.get(f"{a.root}/image/v2/images")
    assert (image.status_code, "Injected" in image.text) == (status, True)
    assert a.compute("GET", "/servers").status_code == 200


def test_a_status_may_have_a_body_of_its_own(site: Site, sdk_a: Connection) -> None:
    body = {"conflictingRequest": {"code": 409, "message": "busy"}}
    site.faults.add("status", status=409, body=body, path="/volumes", method="POST")

    with pytest.raises(HttpException, match="busy"):
        sdk_a.block_storage.create_volume(size=1)


def test_a_rate_limit_says_when_to_come_back(site: Site, a: Api) -> None:
    site.faults.add("rate_limit", service="compute", retry_after=7)

    answer = a.compute("GET", "/servers")

    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "7")
    assert a.compute("GET", "/servers").status_code == 200


def test_a_slow_answer_takes_its_time(site: Site, a: Api) -> None:
    site.faults.add("slow", path="/servers", seconds=0.2, times=1)

    start = time.monotonic()
    assert a.compute("GET", "/servers").status_code == 200

    assert time.monotonic() - start >= 0.2


def test_a_client_that_gives_up_does_not_stop_the_work(site: Site, a: Api) -> None:
    site.faults.add("slow", method="POST", seconds=0.3, times=1)
    url = f"{a.root}/volume/v3/{a.project}/volumes"

    with pytest.raises(requests.exceptions.ReadTimeout):
        a.session.post(url, json={"volume": {"size": 1}}, timeout=0.05)

    deadline = time.monotonic() + 10
    while not a.cloud.volumes and time.monotonic() < deadline:
        a.volume("GET", "/volumes")
    assert len(a.cloud.volumes) == 1


def test_a_fault_hits_the_nth_request_and_no_more_than_told(site: Site, a: Api) -> None:
    fault = site.faults.add("status", path="/servers", nth=2, times=2)

    statuses = [a.compute("GET", "/servers").status_code for _ in range(5)]

    assert statuses == [200, 500, 500, 200, 200]
    assert (fault.seen, fault.hits, fault.spent) == (5, 2, True)


def test_a_fault_matches_method_and_path(site: Site, a: Api) -> None:
    site.faults.add("status", method="post", path=r"/action$", times=0)
    server, *_ = a.new_server()

    assert a.act(server, "os-stop").status_code == 500
    assert a.get_server(server["id"])["status"] == "ACTIVE"


def test_stale_reads_answer_the_past(site: Site, a: Api, clock: StandingClock) -> None:
    old = a.new_volume(name="old")
    site.faults.add("stale", cloud="a", seconds=30)
    a.volume("GET", "/volumes")
    a.volume("PUT", f"/volumes/{old['id']}", {"volume": {"name": "new"}})
    a.volume("POST", "/volumes", {"volume": {"size": 1}})

    clock.time += 29
    listed = a.volume("GET", "/volumes/detail").json()["volumes"]
    assert [v["name"] for v in listed] == ["old"]
    clock.time += 30
    assert len(a.volume("GET", "/volumes/detail").json()["volumes"]) == 2
    assert a.get_volume(old["id"])["name"] == "new"


def test_stale_reads_by_requests_fall_behind_writes(site: Site, a: Api) -> None:
    site.faults.add("stale", cloud="a", service="network", requests=2)
    a.network("GET", "/ports")
    port = a.new_port()

    path = f"/ports/{port['id']}"
    statuses = [a.network("GET", path).status_code for _ in range(3)]

    assert statuses == [404, 404, 200]


def test_a_stale_read_changes_nothing(site: Site, a: Api) -> None:
    site.faults.add("stale", seconds=1000)
    volume = a.volume("POST", "/volumes", {"volume": {"size": 1}}).json()["volume"]

    assert a.get_volume(volume["id"])["status"] == "GONE"
    site.faults.clear()
    assert a.get_volume(volume["id"])["status"] == "available"


def test_requests_are_logged_and_writes_counted(
    site: Site, server: SimulatorServer, a: Api
) -> None:
    site.requests.clear()
    site.faults.add("refuse", path="/flavors")

    a.new_volume()
    with pytest.raises(requests.exceptions.ConnectionError):
        a.compute("GET", "/flavors")

    assert [(r.service, r.method, r.status) for r in site.requests] == [
        ("block-storage", "POST", 202),
        ("block-storage", "GET", 200),
        ("compute", "GET", 0),
    ]
    assert site.write_count == 1


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"kind": "nonsense"}, "unknown kind of fault 'nonsense'"),
        ({"kind": "hold"}, "needs the state"),
        ({"kind": "stale"}, "needs seconds or requests"),
        ({"kind": "refuse", "path": "("}, "no regular expression"),
    ],
)
def test_a_wrong_fault_is_refused(wrong: dict[str, str], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Faults().add(**wrong)  # type: ignore[arg-type]
