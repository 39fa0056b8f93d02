"""How neutron shows its objects."""

from __future__ import annotations

import ipaddress

from cycloud.simulator.calls import Json, stamp
from cycloud.simulator.cloud import EPOXY, Cloud
from cycloud.simulator.models.network import Network, Port, Subnet

Resource = Network | Subnet | Port


def _common(item: Resource) -> Json:
    return {
        "id": item.id,
        "name": item.name,
        "project_id": item.project_id,
        "tenant_id": item.project_id,
        "description": item.description,
        "tags": list(item.tags),
        "created_at": stamp(item.created),
        "updated_at": stamp(item.updated),
        "revision_number": item.revision,
    }


def network_view(cloud: Cloud, item: Network) -> Json:
    """A network."""
    return {
        **_common(item),
        "admin_state_up": item.admin_state_up,
        "mtu": item.mtu,
        "status": "ACTIVE",
        "subnets": [s.id for s in cloud.subnets.values() if s.network_id == item.id],
        "shared": item.shared,
        "availability_zone_hints": [],
        "availability_zones": [],
        "ipv4_address_scope": None,
        "ipv6_address_scope": None,
        "router:external": False,
        "port_security_enabled": True,
        "dns_domain": "",
        "provider:network_type": "vlan",
        "provider:physical_network": "physnet1",
        "provider:segmentation_id": item.segment,
    }


def subnet_view(cloud: Cloud, item: Subnet) -> Json:
    """A subnet."""
    return {
        **_common(item),
        "network_id": item.network_id,
        "ip_version": ipaddress.ip_network(item.cidr).version,
        "subnetpool_id": None,
        "enable_dhcp": item.enable_dhcp,
        "ipv6_ra_mode": None,
        "ipv6_address_mode": None,
        "gateway_ip": item.gateway_ip,
        "cidr": item.cidr,
        "allocation_pools": [{"start": a, "end": b} for a, b in item.pools],
        "host_routes": item.host_routes,
        "dns_nameservers": item.dns_nameservers,
        "router:external": False,
        "service_types": [],
    }


def port_view(cloud: Cloud, item: Port) -> Json:
    """A port."""
    details = {"port_filter": True, "ovs_hybrid_plug": False, "connectivity": "l2"}
    return {
        **_common(item),
        "network_id": item.network_id,
        "mac_address": item.mac_address,
        "admin_state_up": item.admin_state_up,
        "status": item.status,
        "device_id": item.device_id,
        "device_owner": item.device_owner,
        "fixed_ips": [{"subnet_id": s, "ip_address": a} for s, a in item.fixed_ips],
        "allowed_address_pairs": item.allowed_address_pairs,
        "extra_dhcp_opts": [],
        "security_groups": item.security_groups,
        "binding:vnic_type": item.vnic_type,
        "binding:profile": item.profile,
        "binding:host_id": item.host,
        "binding:vif_type": item.vif_type,
        "binding:vif_details": details if item.vif_type == "ovs" else {},
        "port_security_enabled": item.port_security_enabled,
        "dns_name": item.dns_name,
        "dns_assignment": [
            {
                "ip_address": address,
                "hostname": item.dns_name or "host-" + address.replace(".", "-"),
                "fqdn": (item.dns_name or "host-" + address.replace(".", "-"))
                + f".{cloud.name}.example.",
            }
            for _, address in item.fixed_ips
        ],
    }


def view(cloud: Cloud, item: Resource) -> Json:
    """An object of any kind."""
    if isinstance(item, Network):
        return network_view(cloud, item)
    if isinstance(item, Subnet):
        return subnet_view(cloud, item)
    return port_view(cloud, item)


_EMPTY = Cloud("", EPOXY, {})
VIEWS = {
    "network": network_view(_EMPTY, Network("", "", 0, 0)),
    "subnet": subnet_view(_EMPTY, Subnet("", "", "", "10.0.0.0/24", None, [], 0, 0)),
    "port": port_view(_EMPTY, Port("", "", "", "", [], 0, 0)),
}
"""One empty view of each kind: its keys are what a listing can be filtered by."""
