"""Nova: building servers, and what it refuses."""

from typing import Any

import pytest

from cycloud.simulator.site import Site
from tests.simulator.api import NOWHERE, Api, message
from tests.simulator.conftest import StandingClock


def _states(server: dict[str, Any]) -> tuple[Any, ...]:
    keys = ("OS-EXT-STS:vm_state", "OS-EXT-STS:task_state", "OS-EXT-STS:power_state")
    return (server["status"], *(server[k] for k in keys))


def test_a_build_goes_through_its_states(site: Site, a: Api, clock: StandingClock) -> None:
    volume, port = a.new_volume(image=True), a.new_port()
    site.latency = 10
    ident = a.post_server(volume, port)

    assert _states(a.get_server(ident)) == ("BUILD", "building", "scheduling", 0)
    assert a.get_volume(volume["id"])["status"] == "reserved"
    clock.time += 10
    assert _states(a.get_server(ident)) == ("BUILD", "building", "spawning", 0)
    assert a.get_volume(volume["id"])["status"] == "in-use"
    clock.time += 10
    server = a.get_server(ident)
    assert _states(server) == ("ACTIVE", "active", None, 1)
    assert server["addresses"]["net"][0]["addr"] == port["fixed_ips"][0]["ip_address"]


def test_a_running_server_holds_its_volume_and_its_port(a: Api) -> None:
    server, volume, port = a.new_server()

    (attachment,) = volume["attachments"]
    assert attachment["server_id"] == server["id"]
    assert (attachment["device"], attachment["host_name"]) == ("/dev/sda", "cmp-a")
    assert (port["device_id"], port["device_owner"]) == (server["id"], "compute:nova")
    assert (port["status"], port["binding:vif_type"], port["binding:host_id"]) == (
        "ACTIVE",
        "ovs",
        "cmp-a",
    )


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"flavorRef": NOWHERE}, f"Flavor {NOWHERE} could not be found."),
        ({"networks": [{"port": NOWHERE}]}, f"Port id {NOWHERE} could not be found."),
        ({"networks": [{"uuid": NOWHERE}]}, f"Network {NOWHERE} could not be found."),
        ({"availability_zone": "x"}, "The requested availability zone is not available"),
        ({"key_name": "x"}, "Invalid key_name provided."),
        ({"imageRef": NOWHERE}, "Can not find requested image"),
        ({"nonsense": 1}, "Additional properties are not allowed ('nonsense' was unexpected)"),
        ({"metadata": {"k": 1}}, "1 is not of type 'string'"),
        ({"metadata": {"k": "v" * 256}}, "is too long"),
        ({"tags": ["a/b"]}, "'a/b' does not match '^[^,/]*$'"),
        ({"tags": ["t" * 61]}, "is too long"),
        ({"name": ""}, "'' should be non-empty"),
        ({"block_device_mapping_v2": []}, "Missing imageRef attribute"),
    ],
)
def test_a_wrong_server_is_refused(a: Api, change: dict[str, Any], text: str) -> None:
    volume, port = a.new_volume(image=True), a.new_port()

    answer = a.compute("POST", "/servers", a.server_body(volume, port, **change))

    assert answer.status_code == 400
    assert text in message(answer)
    assert a.get_volume(volume["id"])["status"] == "available"
    assert a.cloud.servers == {}


def test_a_volume_that_is_not_bootable_is_refused(a: Api) -> None:
    volume, port = a.new_volume(), a.new_port()

    answer = a.compute("POST", "/servers", a.server_body(volume, port))

    assert (answer.status_code, message(answer)) == (
        400,
        f"Block Device {volume['id']} is not bootable.",
    )


def test_an_unknown_volume_is_refused(a: Api) -> None:
    answer = a.compute("POST", "/servers", a.server_body({"id": NOWHERE}, a.new_port()))

    assert answer.status_code == 400
    assert message(answer) == f"Block Device Mapping is Invalid: failed to get volume {NOWHERE}."


def test_a_volume_in_use_is_a_bad_request(a: Api) -> None:
    _, volume, _ = a.new_server()

    answer = a.compute("POST", "/servers", a.server_body(volume, a.new_port()))

    assert answer.status_code == 400
    assert "must be available or downloading to reserve, but the current status is in-use" in (
        message(answer)
    )


def test_a_port_in_use_is_a_conflict(a: Api) -> None:
    *_, port = a.new_server()

    answer = a.compute("POST", "/servers", a.server_body(a.new_volume(image=True), port))

    assert (answer.status_code, message(answer)) == (409, f"Port {port['id']} is still in use.")


def test_a_quota_of_nova_is_forbidden_with_its_text(a: Api) -> None:
    volume, port = a.new_volume(image=True), a.new_port()
    a.cloud.quotas.compute["cores"] = 0

    answer = a.compute("POST", "/servers", a.server_body(volume, port))

    assert (answer.status_code, message(answer)) == (
        403,
        "Quota exceeded for cores: Requested 1, but already used 0 of 0 cores",
    )
    assert a.get_volume(volume["id"])["status"] == "available"


def test_no_valid_host_leaves_the_volume_reserved_until_the_server_is_deleted(
    site: Site, a: Api
) -> None:
    site.faults.add("no_valid_host", cloud="a")
    server, volume, port = a.new_server()

    assert server["status"] == "ERROR"
    assert server["fault"]["message"] == "No valid host was found. "
    assert server["fault"]["code"] == 500
    assert (volume["status"], volume["attachments"], port["device_id"]) == ("reserved", [], "")
    a.compute("DELETE", f"/servers/{server['id']}")
    assert a.get_server(server["id"])["status"] == "GONE"
    assert a.get_volume(volume["id"])["status"] == "available"


def test_a_flavor_larger_than_the_host_finds_no_valid_host(a: Api) -> None:
    a.cloud.host_vcpus = 0

    assert a.new_server()[0]["fault"]["message"] == "No valid host was found. "


@pytest.mark.parametrize("way", ["fault", "metadata"])
def test_a_failed_spawn_frees_the_volume_and_the_port(site: Site, a: Api, way: str) -> None:
    if way == "fault":
        site.faults.add("spawn_failed")
    metadata = {"osbed_fail": "spawn"} if way == "metadata" else {}

    server, volume, port = a.new_server(metadata=metadata)

    assert server["status"] == "ERROR"
    assert server["fault"]["message"].startswith("Exceeded maximum number of retries.")
    assert (volume["status"], port["device_id"], server["addresses"]) == ("available", "", {})


def test_a_port_with_another_dns_name_than_the_hostname_fails_the_build(a: Api) -> None:
    volume, port = a.new_volume(image=True), a.new_port(dns_name="other")

    assert a.get_server(a.post_server(volume, port))["status"] == "ERROR"
    assert a.get_server(a.post_server(volume, port, hostname="other"))["status"] == "ACTIVE"


def test_a_guest_does_not_start_from_an_image_that_is_gone(site: Site, a: Api) -> None:
    volume, port = a.new_volume(image=True), a.new_port()
    site.storage.rename(f"volume-{volume['id']}", "elsewhere")

    assert a.get_server(a.post_server(volume, port))["status"] == "ERROR"
    assert site.guest_events == []


def test_nova_makes_a_port_on_a_network_and_deletes_it_with_the_server(a: Api) -> None:
    network = a.new_port()["network_id"]
    volume = a.new_volume(image=True)
    ident = a.post_server(volume, {"id": ""}, networks=[{"uuid": network}])

    ports = [p["id"] for p in a.network("GET", f"/ports?device_id={ident}").json()["ports"]]

    assert len(ports) == 1
    a.compute("DELETE", f"/servers/{ident}")
    assert a.get_server(ident)["status"] == "GONE"
    assert a.network("GET", f"/ports/{ports[0]}").status_code == 404


def test_right_after_the_create_other_calls_may_not_find_the_server(site: Site, a: Api) -> None:
    site.faults.add("not_yet", requests=2)
    volume, port = a.new_volume(image=True), a.new_port()
    server = {"id": a.post_server(volume, port)}

    assert a.act(server, "os-stop").status_code == 404
    assert a.compute("GET", f"/servers/{server['id']}/os-volume_attachments").status_code == 404
    assert a.get_server(server["id"])["status"] == "ACTIVE"
    assert a.act(server, "os-stop").status_code == 202


# -- listing


def test_filtering_servers_by_metadata_is_refused_as_by_the_real_nova(a: Api) -> None:
    answer = a.compute("GET", '/servers/detail?all_tenants=1&metadata={"uid":"1"}')

    assert (answer.status_code, message(answer)) == (400, "Invalid filter field: metadata.")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("nonsense=1", "'nonsense' does not match any of the regexes: '^_'"),
        (f"marker={NOWHERE}", f"marker [{NOWHERE}] not found"),
        ("status=x", "Invalid status value"),
        ("limit=x", "'x' does not match '^[0-9]*$'"),
        ("changes-since=x", "'x' is not a 'date-time'"),
    ],
)
def test_a_wrong_listing_is_refused(a: Api, query: str, text: str) -> None:
    answer = a.compute("GET", f"/servers/detail?{query}")

    assert answer.status_code == 400
    assert text in message(answer)


def test_servers_are_listed_newest_first_page_by_page(a: Api) -> None:
    made = [a.new_server(name=f"vm{n}")[0]["id"] for n in range(3)]

    first = a.compute("GET", "/servers/detail?limit=2").json()
    rest = a.session.get(first["servers_links"][0]["href"]).json()

    assert [s["id"] for s in first["servers"] + rest["servers"]] == made[::-1]
    assert "servers_links" not in rest


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tags=red", True),
        ("tags=red,blue", False),
        ("tags-any=red,blue", True),
        ("not-tags=red", False),
        ("status=ACTIVE", True),
        ("status=SHUTOFF", False),
        ("name=v", True),
        ("host=cmp-b", False),
    ],
)
def test_servers_are_found_by_filters(a: Api, query: str, found: bool) -> None:
    a.new_server(tags=["red"])

    assert bool(a.compute("GET", f"/servers/detail?{query}").json()["servers"]) is found


def test_changes_since_shows_servers_that_are_gone(a: Api, clock: StandingClock) -> None:
    server, *_ = a.new_server()
    clock.time += 100
    a.compute("DELETE", f"/servers/{server['id']}")

    early = a.compute("GET", "/servers/detail?changes-since=2020-01-01T00:00:00Z").json()
    late = a.compute("GET", "/servers/detail?changes-since=2099-01-01T00:00:00Z").json()

    assert [s["status"] for s in early["servers"]] == ["DELETED"]
    assert late["servers"] == []
    assert a.compute("GET", "/servers/detail").json()["servers"] == []
