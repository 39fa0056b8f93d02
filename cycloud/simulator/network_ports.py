"""Neutron's ports: addresses, MACs and bindings."""

from __future__ import annotations

import ipaddress
import random
import re

from cycloud.simulator.calls import Answer, Call, Json
from cycloud.simulator.cloud import Cloud, new_id
from cycloud.simulator.models.network import Network, Port, Subnet
from cycloud.simulator.network import (
    changed_body,
    find,
    list_of,
    network_error,
    new_body,
    not_found,
    routes,
)
from cycloud.simulator.network_views import port_view

MAC = re.compile(r"^[0-9a-f]{2}(:[0-9a-f]{2}){5}$")


@routes("GET", "/v2.0/ports")
def ports(call: Call) -> Answer:
    """Ports by any attribute, also fixed_ips=ip_address=..."""
    return list_of(call, "port")


@routes("GET", "/v2.0/ports/{id}")
def show_port(call: Call) -> Answer:
    """One port."""
    item = find(call, "port")
    assert isinstance(item, Port)
    return Answer(200, {"port": port_view(call.cloud, item)})


@routes("POST", "/v2.0/ports")
def create_port(call: Call) -> Answer:
    """A port with the MAC and addresses asked for, or free ones."""
    body = new_body(call, "port", ("network_id",))
    network = call.cloud.networks.get(body["network_id"])
    if network is None or not (network.shared or call.sees(network.project_id)):
        raise not_found("network", body["network_id"])
    item = new_port(call.cloud, network, _project(call, body), call.site.now(), body)
    return Answer(201, {"port": port_view(call.cloud, item)})


def new_port(cloud: Cloud, network: Network, project: str, now: float, body: Json) -> Port:
    """Make a port; refuses MACs and addresses that are taken (409) or wrong (400)."""
    ident = new_id()
    mac = _mac(cloud, network, body.get("mac_address"))
    addresses = _addresses(cloud, network, body.get("fixed_ips"))
    item = Port(
        ident,
        project,
        network.id,
        mac,
        addresses,
        now,
        now,
        name=body.get("name") or "",
        description=body.get("description") or "",
        admin_state_up=body.get("admin_state_up", True),
        device_id=body.get("device_id") or "",
        device_owner=body.get("device_owner") or "",
        dns_name=body.get("dns_name") or "",
        vnic_type=body.get("binding:vnic_type") or "normal",
        profile=body.get("binding:profile") or {},
        port_security_enabled=body.get("port_security_enabled", True),
        security_groups=_groups(cloud, body),
        allowed_address_pairs=body.get("allowed_address_pairs") or [],
    )
    cloud.macs[network.id, mac] = ident
    for subnet, address in addresses:
        cloud.subnets[subnet].used[address] = ident
    cloud.ports[ident] = item
    if body.get("binding:host_id"):
        bind(item, body["binding:host_id"])
    return item


def _project(call: Call, body: Json) -> str:
    asked = body.get("project_id") or body.get("tenant_id")
    return str(asked) if asked and call.is_admin else call.project_id


def _groups(cloud: Cloud, body: Json) -> list[str]:
    if body.get("port_security_enabled", True) is False:
        return []
    return list(body.get("security_groups", [cloud.security_group_id]))


def _mac(cloud: Cloud, network: Network, asked: str | None) -> str:
    if asked is None:
        while True:
            mac = "fa:16:3e:" + ":".join(f"{b:02x}" for b in random.randbytes(3))  # noqa: S311
            if (network.id, mac) not in cloud.macs:
                return mac
    mac = asked.lower()
    if not MAC.match(mac):
        text = f"Invalid input for mac_address. Reason: '{asked}' is not a valid MAC address."
        raise network_error(400, "HTTPBadRequest", text)
    if (network.id, mac) in cloud.macs:
        text = (
            f"Unable to complete operation for network {network.id}."
            f" The mac address {mac} is in use."
        )
        raise network_error(409, "MacAddressInUse", text)
    return mac


def _addresses(cloud: Cloud, network: Network, asked: list[Json] | None) -> list[tuple[str, str]]:
    on_network = [s for s in cloud.subnets.values() if s.network_id == network.id]
    if asked is None:
        # One address of the first subnet that has one, as neutron does for each IP version.
        if not on_network:
            return []
        return [_free_address(network, on_network)]
    chosen: list[tuple[str, str]] = []
    for wish in asked:
        subnet = _subnet_for(cloud, network, on_network, wish)
        if "ip_address" not in wish:
            chosen.append(_free_address(network, [subnet]))
            continue
        address = wish["ip_address"]
        if not _valid_in(subnet, address):
            text = f"IP address {address} is not a valid IP for the specified subnet."
            raise network_error(400, "InvalidIpForSubnet", text)
        if address in subnet.used or (subnet.id, address) in chosen:
            text = f"IP address {address} already allocated in subnet {subnet.id}"
            raise network_error(409, "IpAddressAlreadyAllocated", text)
        chosen.append((subnet.id, address))
    return chosen


def _subnet_for(cloud: Cloud, network: Network, on_network: list[Subnet], wish: Json) -> Subnet:
    if "subnet_id" in wish:
        subnet = cloud.subnets.get(wish["subnet_id"])
        if subnet is None:
            raise not_found("subnet", wish["subnet_id"])
        if subnet.network_id != network.id:
            text = (
                f"Invalid input for operation: Failed to create port on network {network.id},"
                f" because fixed_ips included invalid subnet {subnet.id}."
            )
            raise network_error(400, "InvalidInput", text)
        return subnet
    for subnet in on_network:
        if "ip_address" not in wish or _valid_in(subnet, wish["ip_address"]):
            return subnet
    text = "IP address {} is not a valid IP for any of the subnets on the specified network."
    raise network_error(400, "InvalidIpForNetwork", text.format(wish.get("ip_address", "")))


def _valid_in(subnet: Subnet, address: str) -> bool:
    cidr = ipaddress.ip_network(subnet.cidr)
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    return ip in cidr and ip not in (cidr.network_address, cidr.broadcast_address)


def _free_address(network: Network, subnets: list[Subnet]) -> tuple[str, str]:
    for subnet in subnets:
        for start, end in subnet.pools:
            first = ipaddress.ip_address(start)
            for number in range(int(first), int(ipaddress.ip_address(end)) + 1):
                address = str(type(first)(number))
                if address not in subnet.used:
                    return subnet.id, address
    text = f"No more IP addresses available on network {network.id}."
    raise network_error(409, "IpAddressGenerationFailure", text)


@routes("PUT", "/v2.0/ports/{id}")
def update_port(call: Call) -> Answer:
    """Change a port; new addresses are checked like those of a new one."""
    item = find(call, "port")
    assert isinstance(item, Port)
    body = changed_body(call, "port", item)
    network = call.cloud.networks[item.network_id]
    if "mac_address" in body and body["mac_address"].lower() != item.mac_address:
        mac = _mac(call.cloud, network, body["mac_address"])
        del call.cloud.macs[network.id, item.mac_address]
        call.cloud.macs[network.id, mac] = item.id
        item.mac_address = mac
    if "fixed_ips" in body:
        _readdress(call.cloud, network, item, body["fixed_ips"])
    for key in (
        "name",
        "description",
        "admin_state_up",
        "device_id",
        "device_owner",
        "dns_name",
        "security_groups",
        "allowed_address_pairs",
        "port_security_enabled",
    ):
        setattr(item, key, body.get(key, getattr(item, key)))
    if "binding:host_id" in body:
        if body["binding:host_id"]:
            bind(item, body["binding:host_id"])
        else:
            item.host, item.vif_type, item.status = "", "unbound", "DOWN"
    return Answer(200, {"port": port_view(call.cloud, item)})


def _readdress(cloud: Cloud, network: Network, item: Port, wishes: list[Json]) -> None:
    old = item.fixed_ips
    for subnet, address in old:
        del cloud.subnets[subnet].used[address]
    try:
        item.fixed_ips = _addresses(cloud, network, wishes)
    finally:
        for subnet, address in item.fixed_ips:
            cloud.subnets[subnet].used[address] = item.id


@routes("DELETE", "/v2.0/ports/{id}")
def delete_port(call: Call) -> Answer:
    """Remove a port, also one that a running server uses (nova drops the address)."""
    item = find(call, "port")
    assert isinstance(item, Port)
    drop_port(call.cloud, item)
    return Answer(204)


def drop_port(cloud: Cloud, item: Port) -> None:
    """Free the MAC and the addresses, forget the port."""
    cloud.macs.pop((item.network_id, item.mac_address), None)
    for subnet, address in item.fixed_ips:
        if subnet in cloud.subnets:
            cloud.subnets[subnet].used.pop(address, None)
    del cloud.ports[item.id]
    if item.device_id in cloud.servers:
        server = cloud.servers[item.device_id]
        server.ports = [p for p in server.ports if p != item.id]


def bind(item: Port, host: str) -> None:
    """Bind to a hypervisor; hosts named nobind* are refused by every driver."""
    refused = host.startswith("nobind")
    item.host = host
    item.vif_type = "binding_failed" if refused else "ovs"
    item.status = "ACTIVE" if item.device_id and not refused else "DOWN"
    item.revision += 1


def unbind(item: Port) -> None:
    """Take a port from its server; the port stays."""
    item.device_id, item.device_owner, item.host = "", "", ""
    item.vif_type, item.status = "unbound", "DOWN"
    item.revision += 1
