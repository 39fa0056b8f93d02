"""What is to be done so that a subnet is one network with one subnet in a cluster. Pure.

For clusters whose networks the controllers make. Both objects carry the uid of our subnet; they are looked up
by it at every pass, and a pass makes one thing at most, so a lost answer is found again before the next create.
"""

from dataclasses import dataclass

from cycloud.core.conditions import READY, Condition, Status
from cycloud.openstack.observations import NetworkSeen, SubnetSeen


@dataclass(frozen=True)
class DesiredSubnet:
    """``uid`` of the subnet; ``wanted`` false: nothing of it is to be left in the cluster."""

    uid: str
    cidr: str
    gateway_ip: str
    generation: int = 1
    wanted: bool = True


@dataclass(frozen=True)
class ObservedSubnet:
    """What carries our uid in the cluster; None: it could not be looked at (unknown, not absent)."""

    networks: tuple[NetworkSeen, ...] | None
    subnets: tuple[SubnetSeen, ...] | None


@dataclass(frozen=True)
class CreateNetwork:
    uid: str


@dataclass(frozen=True)
class CreateSubnet:
    uid: str
    network_id: str
    cidr: str
    gateway_ip: str


@dataclass(frozen=True)
class DeleteSubnet:
    subnet_id: str


@dataclass(frozen=True)
class DeleteNetwork:
    network_id: str


Action = CreateNetwork | CreateSubnet | DeleteSubnet | DeleteNetwork


@dataclass(frozen=True)
class Plan:
    """``network_id`` and ``subnet_id``: what was adopted, "" if there is none yet. ``gone``: nothing is left."""

    ready: Condition
    actions: tuple[Action, ...] = ()
    network_id: str = ""
    subnet_id: str = ""
    gone: bool = False


def decide(desired: DesiredSubnet, observed: ObservedSubnet) -> Plan:
    """Return the next step.

    =====================================  =====================================================
    seen (with our uid)                    wanted
    =====================================  =====================================================
    unknown                                nothing; Ready=Unknown ProviderUnreachable
    nothing                                CreateNetwork
    networks, no subnet                    CreateSubnet in the first; DeleteNetwork for the others
    a network with the right subnet        adopt; DeleteNetwork for networks without a subnet
    a subnet with another range, several   nothing; Ready=False ProviderError, terminal: ports may
    subnets, or one in a foreign network   be in any of them, so a person decides
    =====================================  =====================================================

    Not wanted: DeleteSubnet for all, then DeleteNetwork for all, then ``gone``.
    """
    if observed.networks is None or observed.subnets is None:
        return Plan(
            _ready(desired, Status.UNKNOWN, "ProviderUnreachable", "The networks cannot be listed.")
        )
    networks = tuple(sorted(observed.networks, key=lambda network: network.id))
    subnets = tuple(sorted(observed.subnets, key=lambda subnet: subnet.id))
    if not desired.wanted:
        return _remove(desired, networks, subnets)
    trouble = _trouble(desired, networks, subnets)
    if trouble:
        return Plan(_ready(desired, Status.FALSE, "ProviderError", trouble, terminal=True))
    if not networks:
        return Plan(_updating(desired), (CreateNetwork(desired.uid),))
    if not subnets:
        kept = networks[0].id
        create = CreateSubnet(desired.uid, kept, desired.cidr, desired.gateway_ip)
        return Plan(_updating(desired), (create, *_surplus(networks, kept)), network_id=kept)
    kept = subnets[0].network_id
    return Plan(
        _ready(desired, Status.TRUE, "Available"),
        _surplus(networks, kept),
        network_id=kept,
        subnet_id=subnets[0].id,
    )


def _trouble(
    desired: DesiredSubnet, networks: tuple[NetworkSeen, ...], subnets: tuple[SubnetSeen, ...]
) -> str:
    if len(subnets) > 1:
        return f"{len(subnets)} provider subnets carry this subnet's uid. An operator must remove all but one."
    for subnet in subnets:
        if subnet.cidr != desired.cidr:
            return f"The provider subnet has the range {subnet.cidr} instead of {desired.cidr}."
        if subnet.network_id not in {network.id for network in networks}:
            return "The provider subnet is in a network that does not carry this subnet's uid."
    return ""


def _surplus(networks: tuple[NetworkSeen, ...], kept: str) -> tuple[DeleteNetwork, ...]:
    """Networks of ours without a subnet: left by a create whose answer was lost while listings were old."""
    return tuple(DeleteNetwork(network.id) for network in networks if network.id != kept)


def _remove(
    desired: DesiredSubnet, networks: tuple[NetworkSeen, ...], subnets: tuple[SubnetSeen, ...]
) -> Plan:
    deleting = _ready(desired, Status.FALSE, "Deleting", "The network is being removed.")
    if subnets:
        return Plan(deleting, tuple(DeleteSubnet(subnet.id) for subnet in subnets))
    if networks:
        return Plan(deleting, tuple(DeleteNetwork(network.id) for network in networks))
    return Plan(deleting, gone=True)


def _updating(desired: DesiredSubnet) -> Condition:
    return _ready(desired, Status.FALSE, "Creating", "The network is being made.")


def _ready(
    desired: DesiredSubnet,
    status: Status,
    reason: str,
    message: str = "",
    *,
    terminal: bool = False,
) -> Condition:
    return Condition(
        READY,
        status,
        reason,
        message,
        observed_generation=desired.generation,
        terminal=terminal,
    )
