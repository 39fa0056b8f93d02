"""Neutron's networks and subnets."""

from __future__ import annotations

import ipaddress

from cycloud.simulator.calls import Answer, Call, Json
from cycloud.simulator.cloud import new_id
from cycloud.simulator.models.network import Network, Subnet
from cycloud.simulator.network import (
    changed_body,
    find,
    list_of,
    network_error,
    new_body,
    not_found,
    routes,
)
from cycloud.simulator.network_views import network_view, subnet_view


@routes("GET", "/v2.0/networks")
def networks(call: Call) -> Answer:
    """Networks by any attribute."""
    return list_of(call, "network")


@routes("POST", "/v2.0/networks")
def create_network(call: Call) -> Answer:
    """A network of the caller's project."""
    body = new_body(call, "network")
    now = call.site.now()
    item = Network(
        new_id(),
        _project(call, body),
        now,
        now,
        name=body.get("name") or "",
        description=body.get("description") or "",
        admin_state_up=body.get("admin_state_up", True),
        shared=body.get("shared", False),
        mtu=body.get("mtu") or 1500,
        segment=body.get("provider:segmentation_id") or len(call.cloud.networks) + 100,
    )
    call.cloud.networks[item.id] = item
    return Answer(201, {"network": network_view(call.cloud, item)})


def _project(call: Call, body: Json) -> str:
    asked = body.get("project_id") or body.get("tenant_id")
    return str(asked) if asked and call.is_admin else call.project_id


@routes("GET", "/v2.0/networks/{id}")
def show_network(call: Call) -> Answer:
    """One network."""
    item = find(call, "network")
    assert isinstance(item, Network)
    return Answer(200, {"network": network_view(call.cloud, item)})


@routes("PUT", "/v2.0/networks/{id}")
def update_network(call: Call) -> Answer:
    """Change name, description, admin state, MTU."""
    item = find(call, "network")
    assert isinstance(item, Network)
    body = changed_body(call, "network", item)
    for key in ("name", "description", "admin_state_up", "shared", "mtu"):
        setattr(item, key, body.get(key, getattr(item, key)))
    return Answer(200, {"network": network_view(call.cloud, item)})


@routes("DELETE", "/v2.0/networks/{id}")
def delete_network(call: Call) -> Answer:
    """Remove a network with its subnets; 409 while a port is on it."""
    item = find(call, "network")
    ports = [p.id for p in call.cloud.ports.values() if p.network_id == item.id]
    if ports:
        text = (
            f"Unable to complete operation on network {item.id}. There are one or more ports still"
            f" in use on the network, id for these ports is: {','.join(ports)}."
        )
        raise network_error(409, "NetworkInUse", text)
    for subnet in [s for s in call.cloud.subnets.values() if s.network_id == item.id]:
        del call.cloud.subnets[subnet.id]
    del call.cloud.networks[item.id]
    return Answer(204)


@routes("GET", "/v2.0/subnets")
def subnets(call: Call) -> Answer:
    """Subnets by any attribute."""
    return list_of(call, "subnet")


@routes("POST", "/v2.0/subnets")
def create_subnet(call: Call) -> Answer:
    """A subnet; 400 if it overlaps another one of the network."""
    body = new_body(call, "subnet", ("network_id",))
    network = call.cloud.networks.get(body["network_id"])
    if network is None or not call.sees(network.project_id):
        raise not_found("network", body["network_id"])
    try:
        cidr = ipaddress.ip_network(body.get("cidr", ""))
    except ValueError as error:
        text = f"Invalid input for operation: {body.get('cidr')} is not in a CIDR format."
        raise network_error(400, "InvalidInput", text) from error
    for other in call.cloud.subnets.values():
        if other.network_id == network.id and ipaddress.ip_network(other.cidr).overlaps(cidr):
            text = (
                f"Invalid input for operation: Requested subnet with cidr: {cidr} for network:"
                f" {network.id} overlaps with another subnet."
            )
            raise network_error(400, "InvalidInput", text)
    gateway = body.get("gateway_ip", str(cidr[1])) if cidr.num_addresses > 2 else None
    now = call.site.now()
    item = Subnet(
        new_id(),
        _project(call, body),
        network.id,
        str(cidr),
        gateway,
        _pools(body, cidr, gateway),
        now,
        now,
        name=body.get("name") or "",
        description=body.get("description") or "",
        enable_dhcp=body.get("enable_dhcp", True),
        dns_nameservers=body.get("dns_nameservers") or [],
        host_routes=body.get("host_routes") or [],
    )
    call.cloud.subnets[item.id] = item
    network.revision += 1
    return Answer(201, {"subnet": subnet_view(call.cloud, item)})


def _pools(
    body: Json, cidr: ipaddress.IPv4Network | ipaddress.IPv6Network, gateway: str | None
) -> list[tuple[str, str]]:
    """The given pools, or every host address around the gateway."""
    if body.get("allocation_pools"):
        return [(p["start"], p["end"]) for p in body["allocation_pools"]]
    first, last = int(cidr[1]), int(cidr[-2])
    ranges = [(first, last)]
    if gateway and ipaddress.ip_address(gateway) in cidr:
        at = int(ipaddress.ip_address(gateway))
        ranges = [(a, b) for a, b in ((first, at - 1), (at + 1, last)) if a <= b]
    kind = type(cidr[0])
    return [(str(kind(a)), str(kind(b))) for a, b in ranges]


@routes("GET", "/v2.0/subnets/{id}")
def show_subnet(call: Call) -> Answer:
    """One subnet."""
    item = find(call, "subnet")
    assert isinstance(item, Subnet)
    return Answer(200, {"subnet": subnet_view(call.cloud, item)})


@routes("PUT", "/v2.0/subnets/{id}")
def update_subnet(call: Call) -> Answer:
    """Change what is not an address."""
    item = find(call, "subnet")
    assert isinstance(item, Subnet)
    body = changed_body(call, "subnet", item)
    for key in ("name", "description", "enable_dhcp", "dns_nameservers", "host_routes"):
        setattr(item, key, body.get(key, getattr(item, key)))
    item.gateway_ip = body.get("gateway_ip", item.gateway_ip)
    if body.get("allocation_pools"):
        item.pools = [(p["start"], p["end"]) for p in body["allocation_pools"]]
    return Answer(200, {"subnet": subnet_view(call.cloud, item)})


@routes("DELETE", "/v2.0/subnets/{id}")
def delete_subnet(call: Call) -> Answer:
    """Remove a subnet; 409 while a port has one of its addresses."""
    item = find(call, "subnet")
    assert isinstance(item, Subnet)
    if item.used:
        text = (
            f"Unable to complete operation on subnet {item.id}: One or more ports have an IP"
            " allocation from this subnet."
        )
        raise network_error(409, "SubnetInUse", text)
    del call.cloud.subnets[item.id]
    return Answer(204)
