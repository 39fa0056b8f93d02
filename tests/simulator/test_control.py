"""/_sim: what a test in another process can do."""

import base64

import pytest
import requests

from cycloud.simulator.server import SimulatorServer
from cycloud.simulator.site import Site
from tests.simulator.api import Api


@pytest.fixture
def sim(server: SimulatorServer) -> str:
    return f"{server.url}/_sim"


def test_faults_are_put_in_force_and_removed(sim: str, a: Api) -> None:
    fault = requests.post(
        f"{sim}/faults",
        json={"kind": "status", "service": "compute", "status": 503, "times": 0},
        timeout=5,
    ).json()
    assert a.compute("GET", "/servers").status_code == 503

    (listed,) = requests.get(f"{sim}/faults", timeout=5).json()["faults"]
    assert (listed["id"], listed["hits"]) == (fault["id"], 1)
    assert requests.delete(f"{sim}/faults?id={fault['id']}", timeout=5).status_code == 200
    assert requests.delete(f"{sim}/faults?id={fault['id']}", timeout=5).status_code == 404
    assert a.compute("GET", "/servers").status_code == 200
    requests.post(f"{sim}/faults", json={"kind": "down"}, timeout=5)
    requests.delete(f"{sim}/faults", timeout=5)
    assert a.compute("GET", "/servers").status_code == 200


@pytest.mark.parametrize("body", [{}, {"kind": "x"}, {"kind": "down", "nonsense": 1}])
def test_a_wrong_fault_is_refused(sim: str, body: dict[str, object]) -> None:
    answer = requests.post(f"{sim}/faults", json=body, timeout=5)

    assert (answer.status_code, bool(answer.json()["error"])) == (400, True)


def test_bytes_are_written_and_read(sim: str, site: Site) -> None:
    url = f"{sim}/storage/volume-x"
    requests.post(f"{url}/create", json={"size": 100}, timeout=5)
    data = base64.b64encode(b"\x00\xff").decode()

    written = requests.post(f"{url}/write", json={"offset": 5, "data": data}, timeout=5).json()
    requests.post(f"{url}/write", json={"offset": 50, "text": "text"}, timeout=5)
    read = requests.post(f"{url}/read", json={"offset": 5, "length": 2}, timeout=5).json()

    assert written["size"] == 100
    assert base64.b64decode(read["data"]) == b"\x00\xff"
    assert site.storage.read("volume-x", 50, 4) == b"text"
    assert requests.get(url, timeout=5).json()["digest"] == site.storage.digest("volume-x")
    requests.post(f"{url}/rename", json={"name": "y"}, timeout=5)
    assert requests.get(url, timeout=5).status_code == 404
    assert requests.get(f"{sim}/storage", timeout=5).json()["objects"] == [
        {"name": "y", "size": 100}
    ]
    requests.post(f"{sim}/storage/y/delete", json={}, timeout=5)
    assert site.storage.names() == []


def test_wrong_storage_calls_are_refused(sim: str) -> None:
    url = f"{sim}/storage/x"
    assert requests.post(f"{url}/write", json={"text": "a"}, timeout=5).status_code == 404
    requests.post(f"{url}/create", json={"size": 1}, timeout=5)
    assert requests.post(f"{url}/write", json={"data": "?"}, timeout=5).status_code == 400
    assert requests.post(f"{url}/nonsense", json={}, timeout=5).status_code == 400


def test_the_clock_and_the_latency_are_set(sim: str, site: Site, a: Api) -> None:
    requests.post(f"{sim}/clock", json={"latency": 60}, timeout=5)
    volume = a.new_volume()
    assert volume["status"] == "creating"
    pending = requests.get(f"{sim}/", timeout=5).json()["pending"]
    assert (pending[0]["state"], pending[0]["args"][0]) == ("creating", volume["id"])

    requests.post(f"{sim}/clock", json={"advance": 60}, timeout=5)

    assert a.get_volume(volume["id"])["status"] == "available"
    assert requests.post(f"{sim}/clock", json={"x": 1}, timeout=5).status_code == 400


def test_quotas_are_set_and_the_old_ones_come_back(sim: str, a: Api) -> None:
    url = f"{sim}/clouds/a/quota"
    answer = requests.post(url, json={"service": "compute", "cores": 0}, timeout=5).json()

    assert (answer["before"]["cores"], answer["now"]["cores"]) == (400, 0)
    assert a.cloud.quotas.compute["cores"] == 0
    for wrong in ({"service": "compute", "x": 1}, {"service": "x"}):
        assert requests.post(url, json=wrong, timeout=5).status_code in (400, 404)
    assert requests.post(f"{sim}/clouds/z/quota", json={}, timeout=5).status_code == 404


def test_states_are_held_and_released(sim: str, a: Api) -> None:
    requests.post(f"{sim}/clouds/a/hold", json={"state": "creating"}, timeout=5)
    volume = a.new_volume()
    assert volume["status"] == "creating"

    requests.delete(f"{sim}/clouds/a/hold?state=creating", timeout=5)

    assert a.get_volume(volume["id"])["status"] == "available"


def test_a_volume_is_given_what_no_api_can(sim: str, a: Api) -> None:
    volume = a.new_volume()
    url = f"{sim}/clouds/a/volumes/{volume['id']}"

    requests.patch(url, json={"encrypted": True, "group_id": "g"}, timeout=5)

    now = a.get_volume(volume["id"])
    assert (now["encrypted"], now["group_id"]) == (True, "g")
    assert requests.patch(url, json={"x": 1}, timeout=5).status_code == 400


def test_events_and_requests_are_shown(sim: str, a: Api) -> None:
    server, volume, _ = a.new_server()

    (event,) = requests.get(f"{sim}/guest-events", timeout=5).json()["events"]
    shown = requests.get(f"{sim}/requests?cloud=a&service=compute", timeout=5).json()

    assert (event["event"], event["server"]) == ("spawn", server["id"])
    assert event["volumes"] == [f"volume-{volume['id']}"]
    assert [r["method"] for r in shown["requests"]] == ["POST", "GET"]
    assert shown["write_count"] > 0
    requests.delete(f"{sim}/requests", timeout=5)
    assert requests.get(f"{sim}/requests", timeout=5).json() == {"requests": [], "write_count": 0}
    assert requests.get(f"{sim}/", timeout=5).json()["clouds"]["a"]["servers"] == 1


def test_a_page_of_a_web_site_cannot_reach_the_control_api(sim: str, site: Site) -> None:
    plain = {"Content-Type": "text/plain"}
    posted = requests.post(f"{sim}/faults", data='{"kind": "down"}', headers=plain, timeout=5)
    foreign = requests.get(f"{sim}/", headers={"Host": "evil.example"}, timeout=5)
    lookalike = requests.get(f"{sim}/", headers={"Host": "127.evil.example"}, timeout=5)

    assert (posted.status_code, len(site.faults)) == (415, 0)
    assert (foreign.status_code, lookalike.status_code) == (403, 403)
    assert requests.post(f"{sim}/clock", json=[1], timeout=5).status_code == 400
