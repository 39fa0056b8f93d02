"""What the services refuse beyond the edges that have a file of their own."""

from typing import Any

import pytest

from cycloud.simulator.site import Site
from tests.simulator.api import NOWHERE, Api, Json, message

VOLUME = {"source_type": "volume", "destination_type": "volume", "boot_index": 0}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"user_data": "a" * 65536}, "the value is too long"),
        ({"description": "d" * 256}, "is too long"),
        ({"name": " padded"}, "Can not start or end with whitespace."),
        ({"name": "n" * 256}, "is too long"),
        ({"networks": [{"fixed_ip": "10.0.0.9"}]}, "could not be found"),
        ({"tags": [str(n) for n in range(51)]}, "field/attribute tags"),
    ],
)
def test_a_server_out_of_bounds_is_refused(a: Api, change: Json, text: str) -> None:
    body = a.server_body(a.new_volume(image=True), a.new_port(), **change)

    answer = a.compute("POST", "/servers", body)

    assert (answer.status_code, text in message(answer)) == (400, True)


@pytest.mark.parametrize("key", ["name", "flavorRef", "networks"])
def test_a_server_needs_its_required_properties(a: Api, key: str) -> None:
    body = a.server_body(a.new_volume(image=True), a.new_port())
    del body["server"][key]

    answer = a.compute("POST", "/servers", body)

    assert answer.status_code == 400
    assert f"'{key}' is a required property" in message(answer)


def test_block_devices_that_are_not_simulated_are_refused(a: Api) -> None:
    volume, port = a.new_volume(image=True), a.new_port()
    for device in (
        {**VOLUME, "uuid": volume["id"], "boot_index": 1},
        {**VOLUME, "uuid": volume["id"], "source_type": "snapshot"},
        {**VOLUME, "uuid": volume["id"], "nonsense": 1},
    ):
        body = a.server_body(volume, port, block_device_mapping_v2=[device])
        assert a.compute("POST", "/servers", body).status_code == 400
    assert a.get_volume(volume["id"])["status"] == "available"


def test_a_volume_or_port_named_twice_is_refused(a: Api) -> None:
    volume, port = a.new_volume(image=True), a.new_port()
    ports = [{"port": port["id"]}] * 2
    devices = [{**VOLUME, "uuid": volume["id"]}, {**VOLUME, "uuid": volume["id"], "boot_index": 1}]

    twice_plugged = a.compute("POST", "/servers", a.server_body(volume, port, networks=ports))
    twice_attached = a.compute(
        "POST", "/servers", a.server_body(volume, port, block_device_mapping_v2=devices)
    )

    assert "you cannot attach a port multiple times" in message(twice_plugged)
    assert "the current status is reserved" in message(twice_attached)
    assert a.get_volume(volume["id"])["status"] == "available"


def test_a_port_promised_to_a_building_server_is_in_use(site: Site, a: Api) -> None:
    port = a.new_port()
    site.hold("a", "scheduling")
    a.post_server(a.new_volume(image=True), port)

    body = a.server_body(a.new_volume(image=True), port)

    assert a.compute("POST", "/servers", body).status_code == 409


def test_a_port_without_an_address_cannot_be_used(a: Api) -> None:
    port = a.new_port(fixed_ips=[])

    answer = a.compute("POST", "/servers", a.server_body(a.new_volume(image=True), port))

    assert (answer.status_code, "requires a FixedIP" in message(answer)) == (400, True)


def test_cinder_down_fails_a_create_and_an_attach(site: Site, a: Api) -> None:
    server, *_ = a.new_server()
    volume, port = a.new_volume(image=True), a.new_port()
    site.faults.add("down", cloud="a", service="volume")

    created = a.compute("POST", "/servers", a.server_body(volume, port))
    path = f"/servers/{server['id']}/os-volume_attachments"
    attached = a.compute("POST", path, {"volumeAttachment": {"volumeId": volume["id"]}})

    assert (created.status_code, attached.status_code) == (500, 500)
    assert set(a.cloud.servers) == {server["id"]}


def test_a_server_that_no_host_has_cannot_be_stopped_or_given_a_volume(site: Site, a: Api) -> None:
    site.faults.add("no_valid_host")
    server, *_ = a.new_server()

    stopped = a.act(server, "os-stop")
    path = f"/servers/{server['id']}/os-volume_attachments"
    body = {"volumeAttachment": {"volumeId": a.new_volume()["id"]}}
    attached = a.compute("POST", path, body)

    assert (stopped.status_code, "is not ready" in message(stopped)) == (409, True)
    assert (attached.status_code, "vm_state error" in message(attached)) == (409, True)


def test_a_volume_that_is_being_detached_cannot_be_detached_again(site: Site, a: Api) -> None:
    server, *_ = a.new_server()
    volume = a.new_volume()
    path = f"/servers/{server['id']}/os-volume_attachments"
    a.compute("POST", path, {"volumeAttachment": {"volumeId": volume["id"]}})
    a.get_volume(volume["id"])
    site.hold("a", "detaching")

    first = a.compute("DELETE", f"{path}/{volume['id']}")
    second = a.compute("DELETE", f"{path}/{volume['id']}")
    reserved = a.compute("POST", path, {"volumeAttachment": {"volumeId": a.new_volume()["id"]}})

    assert (first.status_code, second.status_code, reserved.status_code) == (202, 400, 200)
    assert "must be 'in-use'" in message(second)


def test_an_interface_is_made_from_a_network(site: Site, a: Api) -> None:
    server, _, port = a.new_server()
    path = f"/servers/{server['id']}/os-interface"

    for body, status in (
        ({"net_id": port["network_id"]}, 200),
        ({"net_id": port["network_id"], "fixed_ips": [{"ip_address": "10.0.0.99"}]}, 200),
        ({"net_id": NOWHERE}, 404),
    ):
        answer = a.compute("POST", path, {"interfaceAttachment": body})
        assert answer.status_code == status
    made = [p for p in a.cloud.ports_of(server["id"]) if p.fixed_ips[0][1] == "10.0.0.99"]
    a.compute("DELETE", f"{path}/{made[0].id}")
    assert a.network("GET", f"/ports/{made[0].id}").status_code == 404
    site.faults.add("down", cloud="a", service="network")
    assert a.compute("POST", path, {"interfaceAttachment": {}}).status_code == 500


def test_a_flavor_in_a_listing_of_pages(a: Api) -> None:
    first = a.compute("GET", "/flavors?limit=2").json()
    assert set(first["flavors"][0]) == {"id", "name", "links", "description"}
    rest = a.session.get(first["flavors_links"][0]["href"]).json()

    assert len(first["flavors"] + rest["flavors"]) == 3
    ident = first["flavors"][0]["id"]
    assert a.compute("GET", f"/flavors/{ident}/os-extra_specs").json() == {"extra_specs": {}}
    assert a.compute("GET", "/os-availability-zone").status_code == 200


@pytest.mark.parametrize(
    ("service", "method", "path"),
    [
        ("compute", "POST", "/servers"),
        ("compute", "PUT", "/os-quota-sets/{project}"),
        ("volume", "POST", "/volumes"),
        ("volume", "POST", "/manageable_volumes"),
        ("network", "POST", "/ports"),
        ("network", "PUT", "/ports/{port}"),
        ("network", "POST", "/networks"),
    ],
)
@pytest.mark.parametrize("body", [{}, {"x": 1}, [1]])
def test_a_body_of_another_shape_is_a_bad_request(
    a: Api, service: str, method: str, path: str, body: Any
) -> None:
    port = a.new_port()["id"]

    answer = getattr(a, service)(method, path.format(project=a.project, port=port), body)

    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("name", "args", "status"),
    [
        ("nonsense", {}, 400),
        ("os-extend", {"new_size": "x"}, 400),
        ("os-set_bootable", {}, 400),
        ("os-unset_image_metadata", {"key": "x"}, 404),
        ("os-show_image_metadata", {}, 200),
        ("os-detach", {}, 202),
    ],
)
def test_volume_actions_answer(a: Api, name: str, args: Json, status: int) -> None:
    volume = a.new_volume()

    assert a.volume_action(volume["id"], name, **args).status_code == status
    assert a.volume("POST", f"/volumes/{volume['id']}/action", {}).status_code == 400


def test_an_administrator_resets_what_is_stuck(a: Api) -> None:
    _, volume, _ = a.new_server()
    reset = {"status": "available", "attach_status": "detached", "migration_status": "none"}

    a.volume_action(volume["id"], "os-reset_status", **reset)

    now = a.get_volume(volume["id"])
    assert (now["status"], now["attachments"], now["migration_status"]) == ("available", [], None)


def test_a_volume_keeps_its_name_when_nothing_is_given(a: Api) -> None:
    volume = a.new_volume(name="n")
    path = f"/volumes/{volume['id']}"

    assert a.volume("PUT", path, {"volume": {}}).status_code == 400
    a.volume("PUT", path, {"volume": {"metadata": {"a": "b"}}})
    a.volume("PUT", path + "/metadata", {"metadata": {"c": "d"}})

    assert a.volume("GET", path + "/metadata").json() == {"metadata": {"c": "d"}}
    assert a.get_volume(volume["id"])["name"] == "n"


def test_a_cascade_deletes_the_snapshots_too(a: Api) -> None:
    volume = a.new_volume()
    a.volume("POST", "/snapshots", {"snapshot": {"volume_id": volume["id"]}})

    assert a.volume("DELETE", f"/volumes/{volume['id']}?cascade=true").status_code == 202

    assert a.get_volume(volume["id"])["status"] == "GONE"
    assert a.cloud.snapshots == {}


def test_the_rest_of_cinder_answers(a: Api) -> None:
    _, volume, _ = a.new_server()
    attachment = volume["attachments"][0]["attachment_id"]

    (detail,) = a.volume("GET", "/attachments/detail").json()["attachments"]
    shown = a.volume("GET", f"/attachments/{attachment}").json()["attachment"]
    assert shown == detail
    assert detail["connection_info"]["name"] == f"volumes/volume-{volume['id']}"
    assert a.volume("GET", f"/attachments/{NOWHERE}").status_code == 404
    services = a.volume("GET", "/os-services").json()["services"]
    assert {s["host"] for s in services} == {"cinder-a@shared", "cinder-a@fast", "cinder-a"}
    pools = a.volume("GET", "/scheduler-stats/get_pools?detail=true").json()["pools"]
    assert pools[0]["capabilities"]["volume_backend_name"] == "fast"
    assert a.volume("GET", "/types/default").json()["volume_type"]["name"] == "shared"
    assert a.volume("GET", "/os-availability-zone").status_code == 200
    quota = {"quota_set": {"nonsense": 1}}
    assert a.volume("PUT", f"/os-quota-sets/{a.project}", quota).status_code == 400
    a.cloud.quotas.volume["snapshots"] = 0
    body = {"snapshot": {"volume_id": volume["id"], "force": True}}
    assert a.volume("POST", "/snapshots", body).status_code == 413
    body = {"snapshot": {"volume_id": NOWHERE}}
    assert a.volume("POST", "/snapshots", body).status_code == 404


def test_snapshots_are_listed_page_by_page(a: Api) -> None:
    volume = a.new_volume()
    for _ in range(2):
        a.volume("POST", "/snapshots", {"snapshot": {"volume_id": volume["id"]}})

    first = a.volume("GET", "/snapshots?limit=1").json()

    assert len(first["snapshots"]) == 1
    assert len(a.session.get(first["snapshots_links"][0]["href"]).json()["snapshots"]) == 1
    assert a.volume("GET", f"/snapshots?marker={NOWHERE}").status_code == 404


def test_extending_a_volume_whose_object_is_gone_is_an_error(site: Site, a: Api) -> None:
    volume = a.new_volume()
    site.storage.delete(f"volume-{volume['id']}")

    a.volume_action(volume["id"], "os-extend", new_size=2)

    assert a.get_volume(volume["id"])["status"] == "error_extending"


def test_a_volume_smaller_than_its_image_is_an_error(site: Site, a: Api) -> None:
    ident = a.cloud.image_id("ubuntu-24.04")
    site.image_data.resize(ident, 2 * 1024**3)

    assert a.new_volume(image=True)["status"] == "error"


def test_placement_shows_the_host(a: Api) -> None:
    a.new_server()
    root = f"{a.root}/placement/resource_providers"
    (host,) = a.session.get(root).json()["resource_providers"]

    shown = a.session.get(f"{root}/{host['uuid']}").json()
    usages = a.session.get(f"{root}/{host['uuid']}/usages").json()["usages"]

    assert (shown["name"], usages) == ("cmp-a", {"VCPU": 1, "MEMORY_MB": 1024})


def test_keystone_answers_the_rest(a: Api) -> None:
    root = f"{a.root}/identity"
    assert a.session.get(f"{root}/").status_code == 300
    assert a.session.get(f"{root}/v3").json()["version"]["id"] == "v3.14"
    found = a.session.get(f"{root}/v3/projects?name=cycloud").json()["projects"]
    assert [p["id"] for p in found] == [a.project]
    assert a.session.get(f"{root}/v3/projects/{a.project}").status_code == 200
    assert a.session.get(f"{root}/v3/projects/{NOWHERE}").status_code == 404
    assert a.session.get(f"{root}/v3/nonsense").status_code == 404
    subject = {"X-Subject-Token": a.session.headers["X-Auth-Token"]}
    malformed = a.session.post(f"{root}/v3/auth/tokens", json={"auth": {"identity": {}}})
    assert malformed.status_code == 401
    assert a.session.delete(f"{root}/v3/auth/tokens", headers=subject).status_code == 204
    assert a.session.get(f"{root}/v3/auth/tokens", headers=subject).status_code == 404
    assert a.compute("GET", "/servers").status_code == 401


def test_glance_answers_the_rest(a: Api) -> None:
    root = f"{a.root}/image/v2"
    ident = a.cloud.image_id("ubuntu-24.04")
    assert a.session.post(f"{root}/images", json={"id": ident}).status_code == 409
    assert a.session.put(f"{root}/images/{ident}/tags/t").status_code == 204
    assert a.session.post(f"{root}/images/{ident}/import", json={}).status_code == 400
    assert a.session.get(f"{root}/schemas/image").json()["name"] == "image"
    patch = [
        {"op": "add", "path": "/mine", "value": "1"},
        {"op": "replace", "path": "/os_hidden", "value": True},
    ]
    changed = a.session.patch(f"{root}/images/{ident}", json=patch).json()
    assert (changed["mine"], changed["tags"], changed["os_hidden"]) == ("1", ["t"], True)
    assert a.session.get(f"{root}/images?os_hidden=true").json()["images"] != []
    patch = [{"op": "remove", "path": "/mine"}]
    assert "mine" not in a.session.patch(f"{root}/images/{ident}", json=patch).json()
    assert a.session.patch(f"{root}/images/{ident}", json={"x": 1}).status_code == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"OpenStack-API-Version": "compute latest"}, 200),
        ({"X-OpenStack-Nova-API-Version": "2.40"}, 200),
        ({"OpenStack-API-Version": "compute x"}, 400),
        ({"OpenStack-API-Version": "volume 9.9"}, 200),
        ({"OpenStack-API-Version": "compute 2.0"}, 406),
    ],
)
def test_versions_are_negotiated(a: Api, headers: dict[str, str], status: int) -> None:
    answer = a.session.get(f"{a.root}/compute/v2.1/servers", headers=headers)

    assert answer.status_code == status


def test_networks_need_what_they_need(a: Api) -> None:
    port = a.new_port()
    pools = [{"start": "10.3.0.5", "end": "10.3.0.6"}]
    body = {
        "network_id": port["network_id"],
        "ip_version": 4,
        "cidr": "10.3.0.0/24",
        "allocation_pools": pools,
        "project_id": a.project,
    }

    made = a.network("POST", "/subnets", {"subnet": body}).json()["subnet"]
    moved = [{"start": "10.3.0.7", "end": "10.3.0.8"}]
    changed = a.network("PUT", f"/subnets/{made['id']}", {"subnet": {"allocation_pools": moved}})

    assert made["allocation_pools"] == pools
    assert changed.json()["subnet"]["allocation_pools"] == moved
    wish = [{"subnet_id": made["id"]}]
    assert a.new_port(fixed_ips=wish)["fixed_ips"][0]["ip_address"] == "10.3.0.7"
    other = a.network("POST", "/networks", {"network": {"name": "other"}}).json()["network"]
    wrong = {"port": {"network_id": other["id"], "fixed_ips": wish}}
    assert a.network("POST", "/ports", wrong).status_code == 400
    assert a.network("DELETE", f"/networks/{other['id']}").status_code == 204
    assert a.new_port(port_security_enabled=False)["security_groups"] == []
    unbound = {"port": {"binding:host_id": ""}}
    assert a.network("PUT", f"/ports/{port['id']}", unbound).status_code == 200
    assert a.network("GET", f"/quotas/{a.project}").json()["quota"]["port"] == -1
