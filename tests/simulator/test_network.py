"""Neutron: networks, subnets, ports, tags."""

from typing import Any

import pytest

from tests.simulator.api import NOWHERE, Api, Json


def _error(answer: Any) -> tuple[int, str, str]:
    error = answer.json()["NeutronError"]
    assert set(error) == {"type", "message", "detail"}
    return answer.status_code, error["type"], error["message"]


def _post_port(a: Api, port: Json, **wishes: Any) -> Any:
    return a.network("POST", "/ports", {"port": {"network_id": port["network_id"], **wishes}})


def test_a_port_has_the_address_and_mac_asked_for(a: Api) -> None:
    subnet = a.new_port()["fixed_ips"][0]["subnet_id"]
    wish = [{"subnet_id": subnet, "ip_address": "10.0.0.77"}]

    port = a.new_port(fixed_ips=wish, mac_address="FA:16:3E:00:00:01", description="uid 1")

    assert (port["fixed_ips"], port["mac_address"]) == (wish, "fa:16:3e:00:00:01")
    assert (port["status"], port["device_id"], port["description"]) == ("DOWN", "", "uid 1")


def test_a_port_without_wishes_gets_the_lowest_free_address(a: Api) -> None:
    first, second = a.new_port(), a.new_port()
    assert first["fixed_ips"][0]["ip_address"] == "10.0.0.2"
    assert second["fixed_ips"][0]["ip_address"] == "10.0.0.3"

    a.network("DELETE", f"/ports/{first['id']}")

    assert a.new_port()["fixed_ips"][0]["ip_address"] == "10.0.0.2"


def test_addresses_and_macs_are_unique(a: Api) -> None:
    port = a.new_port()
    subnet, address = port["fixed_ips"][0].values()

    assert _error(_post_port(a, port, fixed_ips=port["fixed_ips"])) == (
        409,
        "IpAddressAlreadyAllocated",
        f"IP address {address} already allocated in subnet {subnet}",
    )
    status, kind, text = _error(_post_port(a, port, mac_address=port["mac_address"]))
    assert (status, kind) == (409, "MacAddressInUse")
    assert text.endswith(f"The mac address {port['mac_address']} is in use.")
    assert len(a.cloud.ports) == 1


@pytest.mark.parametrize(
    ("wishes", "status", "kind"),
    [
        ({"mac_address": "zz"}, 400, "HTTPBadRequest"),
        ({"nonsense": 1}, 400, "HTTPBadRequest"),
        ({"network_id": NOWHERE}, 404, "NetworkNotFound"),
        ({"fixed_ips": [{"subnet_id": NOWHERE}]}, 404, "SubnetNotFound"),
        ({"fixed_ips": [{"ip_address": "10.9.9.9"}]}, 400, "InvalidIpForNetwork"),
    ],
)
def test_a_wrong_port_is_refused(a: Api, wishes: Json, status: int, kind: str) -> None:
    assert _error(_post_port(a, a.new_port(), **wishes))[:2] == (status, kind)


def test_an_address_outside_its_subnet_is_invalid(a: Api) -> None:
    port = a.new_port()
    subnet = port["fixed_ips"][0]["subnet_id"]

    for address in ("10.9.9.9", "10.0.0.0", "10.0.0.255", "x"):
        wish = [{"subnet_id": subnet, "ip_address": address}]
        assert _error(_post_port(a, port, fixed_ips=wish))[:2] == (400, "InvalidIpForSubnet")


def test_the_address_of_the_gateway_may_be_taken(a: Api) -> None:
    port = a.new_port()
    subnet = port["fixed_ips"][0]["subnet_id"]

    wish = [{"subnet_id": subnet, "ip_address": "10.0.0.1"}]

    assert _post_port(a, port, fixed_ips=wish).status_code == 201


def test_a_full_subnet_has_no_more_addresses(a: Api) -> None:
    network = a.network("POST", "/networks", {"network": {"name": "small"}}).json()["network"]
    body = {"network_id": network["id"], "ip_version": 4, "cidr": "10.2.0.0/30"}
    a.network("POST", "/subnets", {"subnet": body})
    port = {"network_id": network["id"]}

    assert _post_port(a, port).status_code == 201

    assert _error(_post_port(a, port))[:2] == (409, "IpAddressGenerationFailure")


def test_a_quota_of_neutron_is_a_conflict(a: Api) -> None:
    port = a.new_port()
    a.network("PUT", f"/quotas/{a.project}", {"quota": {"port": 1}})

    answer = _post_port(a, port)

    assert _error(answer) == (409, "OverQuota", "Quota exceeded for resources: ['port'].")
    details = a.network("GET", f"/quotas/{a.project}/details.json").json()["quota"]
    assert details["port"] == {"limit": 1, "used": 1, "reserved": 0}
    assert a.network("PUT", f"/quotas/{a.project}", {"quota": {"x": 1}}).status_code == 400


def test_networks_and_subnets_in_use_are_kept(a: Api) -> None:
    port = a.new_port()
    network, subnet = port["network_id"], port["fixed_ips"][0]["subnet_id"]

    status, kind, text = _error(a.network("DELETE", f"/networks/{network}"))
    assert (status, kind, port["id"] in text) == (409, "NetworkInUse", True)
    assert _error(a.network("DELETE", f"/subnets/{subnet}"))[:2] == (409, "SubnetInUse")
    a.network("DELETE", f"/ports/{port['id']}")
    assert a.network("DELETE", f"/subnets/{subnet}").status_code == 204
    assert a.network("DELETE", f"/networks/{network}").status_code == 204


def test_subnets_do_not_overlap_and_are_cidrs(a: Api) -> None:
    network = a.new_port()["network_id"]
    body = {"network_id": network, "ip_version": 4, "cidr": "10.0.0.0/16"}

    assert _error(a.network("POST", "/subnets", {"subnet": body}))[:2] == (400, "InvalidInput")
    body["cidr"] = "x"
    assert _error(a.network("POST", "/subnets", {"subnet": body}))[:2] == (400, "InvalidInput")
    body["network_id"] = NOWHERE
    assert _error(a.network("POST", "/subnets", {"subnet": body}))[0] == 404


def test_what_is_gone_is_not_found_under_its_kind(a: Api) -> None:
    for kind in ("Port", "Network", "Subnet"):
        answer = a.network("DELETE", f"/{kind.lower()}s/{NOWHERE}")
        assert _error(answer) == (
            404,
            f"{kind}NotFound",
            f"{kind} {NOWHERE} could not be found.",
        )


def test_tags_are_set_added_and_removed(a: Api) -> None:
    path = f"/ports/{a.new_port()['id']}/tags"

    assert a.network("PUT", path, {"tags": ["b", "a"]}).json() == {"tags": ["a", "b"]}
    assert a.network("PUT", path + "/c").status_code == 201
    assert a.network("DELETE", path + "/a").status_code == 204
    assert _error(a.network("DELETE", path + "/a"))[:2] == (404, "TagNotFound")
    assert a.network("GET", path).json() == {"tags": ["b", "c"]}
    assert a.network("PUT", path, {"tags": "b"}).status_code == 400
    assert a.network("PUT", f"/routers/{NOWHERE}/tags", {"tags": []}).status_code == 404


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("id={id}", True),
        ("network_id={network_id}&device_id=", True),
        ("mac_address={mac_address}", True),
        ("fixed_ips=ip_address%3D10.0.0.2", True),
        ("fixed_ips=ip_address%3D10.0.0.3", False),
        ("fixed_ips=ip_address_substr%3D10.0.", True),
        ("tags=red", True),
        ("tags=red,blue", False),
        ("tags-any=red,blue", True),
        ("not-tags=red", False),
        ("status=ACTIVE", False),
        ("admin_state_up=true", True),
        ("description=", True),
    ],
)
def test_ports_are_found_by_filters(a: Api, query: str, found: bool) -> None:
    port = a.new_port()
    a.network("PUT", f"/ports/{port['id']}/tags", {"tags": ["red"]})

    listed = a.network("GET", "/ports?" + query.format(**port)).json()["ports"]

    assert [p["id"] for p in listed] == ([port["id"]] if found else [])


def test_an_unknown_filter_is_refused(a: Api) -> None:
    answer = a.network("GET", "/ports?nonsense=1")

    assert _error(answer) == (
        400,
        "HTTPBadRequest",
        "['nonsense'] is invalid attribute for filtering",
    )


def test_ports_are_listed_page_by_page(a: Api) -> None:
    made = {a.new_port()["id"] for _ in range(3)}

    first = a.network("GET", "/ports?limit=2&fields=id").json()
    rest = a.session.get(first["ports_links"][0]["href"]).json()

    assert [set(p) for p in first["ports"]] == [{"id"}, {"id"}]
    assert {p["id"] for p in first["ports"] + rest["ports"]} == made


def test_a_port_is_changed_unless_its_revision_has_moved_on(a: Api) -> None:
    port = a.new_port()
    path, body = f"/ports/{port['id']}", {"port": {"name": "n", "dns_name": "host"}}

    changed = a.network("PUT", path, body).json()["port"]
    stale = a.network("PUT", path, body, **{"If-Match": "revision_number=1"})

    assert (changed["name"], changed["revision_number"]) == ("n", 2)
    assert _error(stale)[:2] == (412, "RevisionNumberConstraintFailed")
    assert a.network("PUT", path, {"port": {"network_id": NOWHERE}}).status_code == 400


def test_a_port_gets_another_address_and_mac(a: Api) -> None:
    port, other = a.new_port(), a.new_port()
    path, subnet = f"/ports/{port['id']}", port["fixed_ips"][0]["subnet_id"]
    new = {
        "fixed_ips": [{"subnet_id": subnet, "ip_address": "10.0.0.9"}],
        "mac_address": "fa:16:3e:00:00:02",
    }

    changed = a.network("PUT", path, {"port": new}).json()["port"]
    taken = a.network("PUT", path, {"port": {"fixed_ips": other["fixed_ips"]}})

    assert {k: changed[k] for k in new} == new
    assert taken.status_code == 409
    assert a.get_port(port["id"])["fixed_ips"] == new["fixed_ips"]
    assert a.new_port(fixed_ips=port["fixed_ips"])["fixed_ips"] == port["fixed_ips"]


def test_a_host_that_no_driver_serves_fails_the_binding_with_201(a: Api) -> None:
    port = a.new_port(**{"binding:host_id": "nobind-1"})

    assert port["binding:vif_type"] == "binding_failed"
    bound = {"port": {"binding:host_id": "cmp-a", "device_id": "x"}}
    changed = a.network("PUT", f"/ports/{port['id']}", bound).json()["port"]
    assert (changed["binding:vif_type"], changed["status"]) == ("ovs", "ACTIVE")


def test_networks_and_subnets_are_changed_and_listed(a: Api) -> None:
    port = a.new_port()
    network, subnet = port["network_id"], port["fixed_ips"][0]["subnet_id"]

    a.network("PUT", f"/networks/{network}", {"network": {"description": "d"}})
    a.network("PUT", f"/subnets/{subnet}", {"subnet": {"name": "s"}})

    (shown,) = a.network("GET", "/networks?description=d").json()["networks"]
    assert shown["subnets"] == [subnet]
    assert a.network("GET", f"/subnets/{subnet}").json()["subnet"]["name"] == "s"
    listed = a.network("GET", f"/subnets?network_id={network}").json()["subnets"]
    assert listed[0]["allocation_pools"] == [{"start": "10.0.0.2", "end": "10.0.0.254"}]
    assert a.network("GET", f"/networks/{network}").json()["network"]["tags"] == []
    assert a.network("GET", "/extensions").json()["extensions"]
    assert a.network("GET", "/agents").json() == {"agents": []}
    assert a.session.get(f"{a.root}/network/v2.0/").status_code == 200
