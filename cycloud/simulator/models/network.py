"""Neutron's objects."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Network:
    """A layer-2 network."""

    id: str
    project_id: str
    created: float
    updated: float
    name: str = ""
    description: str = ""
    admin_state_up: bool = True
    shared: bool = False
    mtu: int = 1500
    tags: list[str] = field(default_factory=list)
    revision: int = 1
    segment: int = 1


@dataclass
class Subnet:
    """Addresses of a network. `used` maps an address to the port that has it."""

    id: str
    project_id: str
    network_id: str
    cidr: str
    gateway_ip: str | None
    pools: list[tuple[str, str]]
    created: float
    updated: float
    name: str = ""
    description: str = ""
    enable_dhcp: bool = True
    dns_nameservers: list[str] = field(default_factory=list)
    host_routes: list[dict[str, str]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    revision: int = 0
    used: dict[str, str] = field(default_factory=dict)


@dataclass
class Port:
    """A port; bound while `host` is set."""

    id: str
    project_id: str
    network_id: str
    mac_address: str
    fixed_ips: list[tuple[str, str]]
    created: float
    updated: float
    name: str = ""
    description: str = ""
    admin_state_up: bool = True
    status: str = "DOWN"
    device_id: str = ""
    device_owner: str = ""
    dns_name: str = ""
    host: str = ""
    vif_type: str = "unbound"
    vnic_type: str = "normal"
    profile: dict[str, str] = field(default_factory=dict)
    port_security_enabled: bool = True
    security_groups: list[str] = field(default_factory=list)
    allowed_address_pairs: list[dict[str, str]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    revision: int = 1
