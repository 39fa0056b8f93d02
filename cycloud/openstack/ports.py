"""Calls to Neutron. Ports, networks and subnets are marked by their description, ``cycloud:<uid>``.

Not by tags: these releases refuse tags in the POST (400 "Attribute 'tags' not allowed in POST"), and what is
marked by a second call is unmarked when the worker dies between the two.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from cycloud.openstack.connection import NEUTRON, ClusterConnection, Json
from cycloud.openstack.observations import NetworkSeen, PortSeen, SubnetSeen
from cycloud.openstack.servers import mark_of, uid_of_mark


class PortCalls:
    """The network part of a cluster's client; see ``ClusterClient``."""

    _connection: ClusterConnection

    def find_ports(self, uid: str) -> tuple[PortSeen, ...]:
        """Return the ports marked with ``uid``."""
        return tuple(port_seen(port) for port in self._marked("find_ports", "/ports", "ports", uid))

    def get_port(self, port_id: str) -> PortSeen | None:
        """Return the port, None for 404."""
        answer = self._connection.get_or_none(
            NEUTRON, "get_port", f"/ports/{port_id}", expect="port"
        )
        return None if answer is None else port_seen(answer["port"])

    def list_ports(self) -> Iterator[PortSeen]:
        """Yield every port of the project that carries a uid."""
        params = {"project_id": self._connection.project_id}
        for port in self._connection.pages(NEUTRON, "list_ports", "/ports", "ports", params):
            seen = port_seen(port)
            if seen.uid:
                yield seen

    def ports_of_server(self, server_id: str) -> tuple[PortSeen, ...]:
        """Return the ports plugged into the server, also those that are not ours (uid "")."""
        params = {"device_id": server_id}
        found = self._connection.pages(NEUTRON, "ports_of_server", "/ports", "ports", params)
        return tuple(seen for port in found if (seen := port_seen(port)).device_id == server_id)

    def create_port(
        self, *, uid: str, network_id: str, subnet_id: str, ip_address: str, mac_address: str
    ) -> str:
        """Make a port with this address and return its id; CONFLICT where IP or MAC is in use."""
        return self._create(
            "create_port",
            "port",
            {
                "description": mark_of(uid),
                "network_id": network_id,
                "fixed_ips": [{"subnet_id": subnet_id, "ip_address": ip_address}],
                "mac_address": mac_address,
            },
        )

    def delete_port(self, port_id: str) -> bool:
        """Delete the port (Neutron allows it under a running server); False for 404."""
        return self._connection.delete(NEUTRON, "delete_port", f"/ports/{port_id}")

    def find_networks(self, uid: str) -> tuple[NetworkSeen, ...]:
        """Return the networks marked with ``uid``."""
        return tuple(
            NetworkSeen(id=str(network["id"]), uid=uid)
            for network in self._marked("find_networks", "/networks", "networks", uid)
        )

    def create_network(self, *, uid: str, name: str) -> str:
        """Make a network and return its id."""
        body = {"description": mark_of(uid), "name": name}
        return self._create("create_network", "network", body)

    def delete_network(self, network_id: str) -> bool:
        """Delete the network; False for 404, CONFLICT while it has ports."""
        return self._connection.delete(NEUTRON, "delete_network", f"/networks/{network_id}")

    def find_subnets(self, uid: str) -> tuple[SubnetSeen, ...]:
        """Return the subnets marked with ``uid``."""
        return tuple(
            SubnetSeen(
                id=str(subnet["id"]),
                uid=uid,
                network_id=str(subnet["network_id"]),
                cidr=str(subnet["cidr"]),
            )
            for subnet in self._marked("find_subnets", "/subnets", "subnets", uid)
        )

    def create_subnet(
        self, *, uid: str, name: str, network_id: str, cidr: str, gateway_ip: str
    ) -> str:
        """Make an IPv4 subnet and return its id; no gateway where ``gateway_ip`` is empty."""
        return self._create(
            "create_subnet",
            "subnet",
            {
                "description": mark_of(uid),
                "name": name,
                "network_id": network_id,
                "ip_version": 4,
                "cidr": cidr,
                "gateway_ip": gateway_ip or None,
            },
        )

    def delete_subnet(self, subnet_id: str) -> bool:
        """Delete the subnet; False for 404, CONFLICT while a port has an address of it."""
        return self._connection.delete(NEUTRON, "delete_subnet", f"/subnets/{subnet_id}")

    def _create(self, verb: str, noun: str, body: Mapping[str, Any]) -> str:
        answer = self._connection.request(
            NEUTRON, verb, "POST", f"/{noun}s", body={noun: body}, expect=noun
        )
        return str(answer[noun]["id"])

    def _marked(self, verb: str, path: str, key: str, uid: str) -> Iterator[Json]:
        # of our project only: an administrator sees every project's, and anybody may write our mark
        params = {"description": mark_of(uid), "project_id": self._connection.project_id}
        for found in self._connection.pages(NEUTRON, verb, path, key, params):
            if found.get("description") == mark_of(uid):
                yield found


def port_seen(port: Json) -> PortSeen:
    """Return Neutron's port as ours; its first address only."""
    fixed_ips = port.get("fixed_ips") or [{}]
    return PortSeen(
        id=str(port["id"]),
        uid=uid_of_mark(str(port.get("description") or "")),
        network_id=str(port["network_id"]),
        ip_address=str(fixed_ips[0].get("ip_address", "")),
        mac_address=str(port.get("mac_address") or "").lower(),
        device_id=str(port.get("device_id") or ""),
        status=str(port.get("status") or ""),
        vif_type=str(port.get("binding:vif_type") or ""),
    )
