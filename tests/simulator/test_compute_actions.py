"""Nova: power, delete, metadata, and the traces of what failed."""

import pytest

from cycloud.simulator.site import Site
from tests.simulator.api import NOWHERE, Api, Json, message
from tests.simulator.conftest import StandingClock


def _last_action(a: Api, server: Json) -> tuple[str, str | None]:
    path = f"/servers/{server['id']}/os-instance-actions"
    newest = a.compute("GET", path).json()["instanceActions"][0]
    return newest["action"], newest["message"]


def test_stop_and_start_pass_through_a_task(site: Site, a: Api) -> None:
    server, *_ = a.new_server()
    site.hold("a", "powering-off")

    assert a.act(server, "os-stop").status_code == 202
    now = a.get_server(server["id"])
    assert (now["status"], now["OS-EXT-STS:task_state"]) == ("ACTIVE", "powering-off")
    site.release("a")
    now = a.get_server(server["id"])
    assert (now["status"], now["OS-EXT-STS:power_state"]) == ("SHUTOFF", 4)
    a.act(server, "os-start")
    assert a.get_server(server["id"])["status"] == "ACTIVE"


def test_an_action_is_a_conflict_in_the_wrong_state(site: Site, a: Api) -> None:
    server, *_ = a.new_server()
    ident = server["id"]

    answer = a.act(server, "os-start")
    assert answer.status_code == 409
    assert message(answer) == f"Cannot 'start' instance {ident} while it is in vm_state active"
    site.hold("a", "powering-off")
    a.act(server, "os-stop")
    answer = a.act(server, "os-stop")
    assert answer.status_code == 409
    assert message(answer) == (
        f"Cannot 'stop' instance {ident} while it is in task_state powering-off"
    )
    site.release("a")
    assert a.act(server, "os-stop").status_code == 409
    assert a.act(server, "reboot", {"type": "SOFT"}).status_code == 409


def test_an_action_on_an_unknown_server_names_the_cell(a: Api) -> None:
    answer = a.act({"id": NOWHERE}, "os-stop")

    assert (answer.status_code, message(answer)) == (
        404,
        f"Instance {NOWHERE} has no mapping to a cell.",
    )


@pytest.mark.parametrize("body", [{"nonsense": None}, {}, {"a": 1, "b": 2}])
def test_an_unknown_action_is_a_bad_request(a: Api, body: Json) -> None:
    server, *_ = a.new_server()

    assert a.compute("POST", f"/servers/{server['id']}/action", body).status_code == 400


def test_a_reboot_is_off_and_on(site: Site, a: Api) -> None:
    server, *_ = a.new_server()
    site.hold("a", "REBOOT")

    assert a.act(server, "reboot", {"type": "HARD"}).status_code == 202
    assert a.get_server(server["id"])["status"] == "HARD_REBOOT"
    site.release("a")
    assert a.get_server(server["id"])["status"] == "ACTIVE"
    assert [e["event"] for e in site.guest_events] == ["spawn", "power_off", "power_on"]


def test_an_administrator_passes_a_lock_and_resets_a_state(a: Api) -> None:
    server, *_ = a.new_server()

    assert a.act(server, "lock").status_code == 202
    assert a.get_server(server["id"])["locked"] is True
    assert a.act(server, "os-stop").status_code == 202
    a.get_server(server["id"])
    assert a.act(server, "os-resetState", {"state": "error"}).status_code == 202
    assert a.get_server(server["id"])["status"] == "ERROR"
    assert a.act(server, "os-resetState", {"state": "x"}).status_code == 400


def test_a_failed_stop_leaves_a_trace_in_the_actions_only(a: Api) -> None:
    server, *_ = a.new_server(metadata={"osbed_fail": "power_off"})

    a.act(server, "os-stop")

    now = a.get_server(server["id"])
    assert (now["status"], now["OS-EXT-STS:task_state"]) == ("ACTIVE", None)
    assert "fault" not in now
    assert _last_action(a, server) == ("stop", "Error")


def test_a_failed_start_leaves_the_server_stopped(a: Api) -> None:
    server, *_ = a.new_server(metadata={"osbed_fail": "power_on:1"})
    a.act(server, "os-stop")
    a.act(server, "os-start")

    assert a.get_server(server["id"])["status"] == "SHUTOFF"
    a.act(server, "os-start")
    assert a.get_server(server["id"])["status"] == "ACTIVE"


def test_a_delete_frees_the_volume_and_keeps_the_port(a: Api) -> None:
    server, volume, port = a.new_server()

    assert a.compute("DELETE", f"/servers/{server['id']}").status_code == 204

    assert a.get_server(server["id"])["status"] == "GONE"
    after = a.get_volume(volume["id"])
    assert (after["status"], after["attachments"]) == ("available", [])
    kept = a.get_port(port["id"])
    assert (kept["device_id"], kept["device_owner"], kept["binding:host_id"]) == ("", "", "")
    assert (kept["binding:vif_type"], kept["status"]) == ("unbound", "DOWN")
    assert a.compute("DELETE", f"/servers/{server['id']}").status_code == 404
    assert a.compute("GET", "/attachments").status_code == 404


def test_delete_on_termination_deletes_the_volume(site: Site, a: Api) -> None:
    volume, port = a.new_volume(image=True), a.new_port()
    body = a.server_body(volume, port)
    body["server"]["block_device_mapping_v2"][0]["delete_on_termination"] = True
    ident = a.compute("POST", "/servers", body).json()["server"]["id"]
    a.get_server(ident)

    a.compute("DELETE", f"/servers/{ident}")

    assert a.get_volume(volume["id"])["status"] == "GONE"
    assert site.storage.names() == []


def test_a_delete_while_deleting_is_answered_and_ignored(site: Site, a: Api) -> None:
    server, *_ = a.new_server()
    site.hold("a", "deleting")
    path = f"/servers/{server['id']}"

    assert a.compute("DELETE", path).status_code == 204
    assert a.compute("DELETE", path).status_code == 204
    conflict = a.act(server, "os-stop")
    assert (conflict.status_code, "task_state deleting" in message(conflict)) == (409, True)
    assert a.get_server(server["id"])["OS-EXT-STS:task_state"] == "deleting"
    site.release("a")
    assert a.get_server(server["id"])["status"] == "GONE"
    assert [r.action for r in a.cloud.deleted_servers[server["id"]].actions].count("delete") == 1


def test_a_server_can_be_deleted_while_it_builds(site: Site, a: Api) -> None:
    volume, port = a.new_volume(image=True), a.new_port()
    site.hold("a", "BUILD")
    ident = a.post_server(volume, port)
    assert a.get_server(ident)["status"] == "BUILD"

    a.compute("DELETE", f"/servers/{ident}")

    assert a.get_server(ident)["status"] == "GONE"
    site.release("a")
    assert a.get_volume(volume["id"])["status"] == "available"
    assert "spawn" not in [e["event"] for e in site.guest_events]


def test_a_failed_delete_is_ignored_again_until_its_task_is_cleared(
    site: Site, a: Api, clock: StandingClock
) -> None:
    server, volume, port = a.new_server(metadata={"osbed_fail": "destroy:1"})
    path = f"/servers/{server['id']}"
    site.latency = 10
    a.compute("DELETE", path)
    clock.time += 10

    failed = a.get_server(server["id"])
    assert (failed["status"], failed["OS-EXT-STS:task_state"]) == ("ERROR", "deleting")
    assert (failed["addresses"], failed["OS-EXT-STS:power_state"]) == ({}, 1)
    assert a.get_port(port["id"])["device_id"] == ""
    assert a.get_volume(volume["id"])["status"] == "in-use"
    assert a.compute("DELETE", path).status_code == 204
    clock.time += 10
    assert a.get_server(server["id"])["OS-EXT-STS:task_state"] is None
    assert a.compute("DELETE", path).status_code == 204
    clock.time += 10
    assert a.get_server(server["id"])["status"] == "GONE"
    assert a.get_volume(volume["id"])["status"] == "available"


def test_a_delete_with_cinder_down_leaves_an_attachment_that_an_administrator_frees(
    site: Site, a: Api
) -> None:
    server, volume, _ = a.new_server()
    fault = site.faults.add("down", cloud="a", service="block-storage")
    a.compute("DELETE", f"/servers/{server['id']}")
    assert a.get_server(server["id"])["status"] == "GONE"
    site.faults.remove(fault)

    assert a.get_volume(volume["id"])["status"] == "in-use"
    (left,) = a.volume("GET", f"/attachments?volume_id={volume['id']}").json()["attachments"]
    assert left["instance"] == server["id"]
    freed = a.volume("DELETE", f"/attachments/{left['id']}")
    assert (freed.status_code, freed.json()) == (200, {"attachments": []})
    assert a.get_volume(volume["id"])["status"] == "available"


def test_neutron_down_fails_a_create_with_the_class_of_the_cause(site: Site, a: Api) -> None:
    volume, port = a.new_volume(image=True), a.new_port()
    site.faults.add("down", cloud="a", service="network")

    answer = a.compute("POST", "/servers", a.server_body(volume, port))

    assert answer.status_code == 500
    assert "ConnectFailure" in answer.json()["computeFault"]["message"]
    assert a.get_volume(volume["id"])["status"] == "available"


def test_slow_operations_take_their_time(site: Site, a: Api, clock: StandingClock) -> None:
    server, *_ = a.new_server()
    a.compute("POST", f"/servers/{server['id']}/metadata", {"metadata": {"osbed_slow": "5"}})
    a.act(server, "os-stop")

    clock.time += 4
    assert a.get_server(server["id"])["status"] == "ACTIVE"
    clock.time += 1
    assert a.get_server(server["id"])["status"] == "SHUTOFF"


def test_metadata_changes_but_not_of_a_server_in_error(site: Site, a: Api) -> None:
    server, *_ = a.new_server(metadata={"a": "1"})
    path = f"/servers/{server['id']}/metadata"

    assert a.compute("POST", path, {"metadata": {"b": "2"}}).json()["metadata"] == {
        "a": "1",
        "b": "2",
    }
    assert a.compute("PUT", path, {"metadata": {"c": "3"}}).json()["metadata"] == {"c": "3"}
    assert a.compute("PUT", path + "/d", {"meta": {"d": "4"}}).status_code == 200
    assert a.compute("DELETE", path + "/d").status_code == 204
    assert a.compute("DELETE", path + "/d").status_code == 404
    assert a.compute("POST", path, {"metadata": {"b": 2}}).status_code == 400
    a.act(server, "os-resetState", {"state": "error"})
    answer = a.compute("DELETE", path + "/c")
    assert answer.status_code == 409
    assert message(answer).startswith("Cannot 'delete metadata' instance")


def test_tags_are_set_added_and_removed(a: Api) -> None:
    server, *_ = a.new_server(tags=["one"])
    path = f"/servers/{server['id']}/tags"

    assert a.compute("PUT", path + "/two").status_code == 201
    assert a.compute("PUT", path + "/two").status_code == 204
    assert a.compute("DELETE", path + "/one").status_code == 204
    assert a.compute("DELETE", path + "/one").status_code == 404
    assert a.compute("GET", path).json() == {"tags": ["two"]}
    assert a.compute("PUT", path, {"tags": ["three"]}).json() == {"tags": ["three"]}


def test_a_server_is_renamed(a: Api) -> None:
    server, *_ = a.new_server()

    a.compute("PUT", f"/servers/{server['id']}", {"server": {"name": "new"}})

    assert a.get_server(server["id"])["name"] == "new"


def test_the_actions_of_a_server_that_is_gone_can_still_be_read(a: Api) -> None:
    server, *_ = a.new_server()
    a.compute("DELETE", f"/servers/{server['id']}")

    assert _last_action(a, server) == ("delete", None)
    path = f"/servers/{server['id']}/os-instance-actions"
    newest = a.compute("GET", path).json()["instanceActions"][0]
    shown = a.compute("GET", f"{path}/{newest['request_id']}").json()["instanceAction"]
    assert shown["events"][0]["result"] == "Success"
    assert a.compute("GET", f"{path}/req-x").status_code == 404


def test_quotas_of_nova_are_read_and_set(a: Api) -> None:
    a.new_server()
    path = f"/os-quota-sets/{a.project}"

    assert a.compute("GET", path + "/detail").json()["quota_set"]["instances"] == {
        "limit": 200,
        "in_use": 1,
        "reserved": 0,
    }
    assert a.compute("PUT", path, {"quota_set": {"instances": 5}}).status_code == 200
    assert a.compute("GET", path).json()["quota_set"]["instances"] == 5
    assert a.compute("PUT", path, {"quota_set": {"instances": 0}}).status_code == 400
    assert a.compute("PUT", path, {"quota_set": {"nonsense": 1}}).status_code == 400
    assert a.compute("GET", f"/os-quota-sets/{NOWHERE}").status_code == 400
    assert a.compute("GET", "/limits").json()["limits"]["absolute"]["totalCoresUsed"] == 1


def test_a_flavor_is_made_and_removed(a: Api) -> None:
    body = {"flavor": {"name": "tiny", "vcpus": 1, "ram": 64, "disk": 0}}
    made = a.compute("POST", "/flavors", body).json()["flavor"]

    assert a.compute("POST", "/flavors", body).status_code == 409
    assert a.compute("GET", f"/flavors/{made['id']}").json()["flavor"]["ram"] == 64
    assert a.compute("DELETE", f"/flavors/{made['id']}").status_code == 202
    assert a.compute("GET", f"/flavors/{made['id']}").status_code == 404
