"""Nova: volumes and ports of a server that exists."""

import pytest
import requests

from cycloud.simulator.site import Site
from tests.simulator.api import NOWHERE, Api, Json, message


def _attach(a: Api, server: Json, volume: Json) -> requests.Response:
    body = {"volumeAttachment": {"volumeId": volume["id"]}}
    return a.compute("POST", f"/servers/{server['id']}/os-volume_attachments", body)


def _detach(a: Api, server: Json, volume: Json) -> requests.Response:
    path = f"/servers/{server['id']}/os-volume_attachments/{volume['id']}"
    return a.compute("DELETE", path)


@pytest.mark.parametrize("power", ["running", "stopped"])
def test_a_volume_is_attached_and_detached(site: Site, a: Api, power: str) -> None:
    server, *_ = a.new_server()
    if power == "stopped":
        a.act(server, "os-stop")
        a.get_server(server["id"])
    volume = a.new_volume()
    site.hold("a", "reserved")

    answer = _attach(a, server, volume)

    assert answer.status_code == 200
    assert answer.json()["volumeAttachment"]["device"] == "/dev/sdb"
    assert a.get_volume(volume["id"])["status"] == "reserved"
    site.release("a")
    assert a.get_volume(volume["id"])["status"] == "in-use"
    site.hold("a", "detaching")
    assert _detach(a, server, volume).status_code == 202
    assert a.get_volume(volume["id"])["status"] == "detaching"
    site.release("a")
    assert a.get_volume(volume["id"])["status"] == "available"
    assert [e["event"] for e in site.guest_events][-2:] == ["attach", "detach"]


def test_the_attaching_window_can_be_held(site: Site, a: Api) -> None:
    server, *_ = a.new_server()
    volume = a.new_volume()
    site.hold("a", "attaching", object_id=volume["id"])

    _attach(a, server, volume)

    assert a.get_volume(volume["id"])["status"] == "attaching"
    assert a.get_volume(volume["id"])["attachments"] == []


def test_a_failed_attach_shows_in_the_actions_only(a: Api) -> None:
    server, *_ = a.new_server(metadata={"osbed_fail": "attach"})
    volume = a.new_volume()

    assert _attach(a, server, volume).status_code == 200

    assert a.get_volume(volume["id"])["status"] == "available"
    path = f"/servers/{server['id']}"
    listed = a.compute("GET", path + "/os-volume_attachments").json()["volumeAttachments"]
    assert [v["device"] for v in listed] == ["/dev/sda"]
    newest = a.compute("GET", path + "/os-instance-actions").json()["instanceActions"][0]
    assert (newest["action"], newest["message"]) == ("attach_volume", "Error")


def test_a_failed_detach_leaves_the_volume_in_use(a: Api) -> None:
    server, *_ = a.new_server(metadata={"osbed_fail": "detach"})
    volume = a.new_volume()
    _attach(a, server, volume)
    a.get_volume(volume["id"])

    _detach(a, server, volume)

    assert a.get_volume(volume["id"])["status"] == "in-use"


def test_refusals_of_attach_and_detach(a: Api) -> None:
    server, root, _ = a.new_server()
    other = a.new_volume()

    twice = _attach(a, server, root)
    assert (twice.status_code, "is already attached to instances" in message(twice)) == (400, True)
    assert _attach(a, server, {"id": NOWHERE}).status_code == 404
    path = f"/servers/{server['id']}/os-volume_attachments"
    assert a.compute("POST", path, {"volumeAttachment": {}}).status_code == 400
    refused = _detach(a, server, root)
    assert (refused.status_code, message(refused)) == (400, "Cannot detach a root device volume")
    assert _detach(a, server, other).status_code == 404
    assert _detach(a, server, {"id": NOWHERE}).status_code == 404


def test_an_attach_waits_for_the_task_before_it(site: Site, a: Api) -> None:
    server, *_ = a.new_server()
    site.hold("a", "powering-off")
    a.act(server, "os-stop")

    answer = _attach(a, server, a.new_volume())

    assert answer.status_code == 409
    assert message(answer).startswith("Cannot 'attach_volume' instance")


def test_attachments_are_shown_by_nova_and_cinder(a: Api) -> None:
    server, volume, _ = a.new_server()
    path = f"/servers/{server['id']}/os-volume_attachments/{volume['id']}"

    new = a.compute("GET", path, version="2.93").json()["volumeAttachment"]
    old = a.compute("GET", path, version="2.60").json()["volumeAttachment"]
    listed = a.volume("GET", f"/attachments?instance_id={server['id']}").json()["attachments"]

    assert "id" not in new
    assert new["attachment_id"] == listed[0]["id"] == volume["attachments"][0]["attachment_id"]
    assert old["id"] == volume["id"]
    assert listed[0]["status"] == "attached"


def test_cinder_asks_nova_before_it_frees_a_volume(a: Api) -> None:
    server, volume, _ = a.new_server()
    attachment = volume["attachments"][0]["attachment_id"]
    text = f"ConflictNovaUsingAttachment: Detach volume from instance {server['id']} using"

    for answer in (
        a.volume("DELETE", f"/attachments/{attachment}"),
        a.volume_action(volume["id"], "os-detach"),
    ):
        assert answer.status_code == 409
        assert message(answer).startswith(text)
    assert a.volume_action(volume["id"], "os-force_delete").status_code == 400


def test_a_port_is_plugged_into_a_stopped_server_and_pulled_out(a: Api) -> None:
    server, *_ = a.new_server()
    a.act(server, "os-stop")
    port = a.new_port()
    path = f"/servers/{server['id']}/os-interface"
    body = {"interfaceAttachment": {"port_id": port["id"]}}

    assert a.compute("POST", path, body).status_code == 200
    assert a.get_port(port["id"])["device_id"] == server["id"]
    again = a.compute("POST", path, body)
    assert (again.status_code, message(again)) == (409, f"Port {port['id']} is still in use.")
    wrong = {"interfaceAttachment": {"port_id": NOWHERE}}
    assert a.compute("POST", path, wrong).status_code == 404
    shown = a.compute("GET", path).json()["interfaceAttachments"]
    assert port["id"] in [p["port_id"] for p in shown]
    assert a.compute("DELETE", f"{path}/{port['id']}").status_code == 202
    assert a.get_port(port["id"])["device_id"] == ""
    assert a.compute("GET", f"{path}/{port['id']}").status_code == 404


def test_a_port_may_be_deleted_under_a_running_server(a: Api) -> None:
    server, _, port = a.new_server()

    assert a.network("DELETE", f"/ports/{port['id']}").status_code == 204

    assert a.get_server(server["id"])["addresses"] == {}
