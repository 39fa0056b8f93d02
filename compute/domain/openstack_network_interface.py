"""What to do about the port of one network interface, given what every cluster shows of it.

A port is never deleted while a server has it: Neutron would allow that under a running guest. A port with our
address is made in the target only after it is gone everywhere else, so an address is never in two places.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from cycloud.core.reconcile.plans import (
    AGAIN,
    HELD,
    POLL,
    Done,
    Plan,
    Transient,
    not_ready,
    ready,
    unreachable,
)
from cycloud.openstack.observations import PortSeen


@dataclass(frozen=True)
class Desired:
    """``target``: cluster key; ``network_ready``: the subnet exists there."""

    target: str
    ip_address: str
    mac_address: str
    wanted: bool = True
    network_ready: bool = True
    footprint: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Observed:
    """``ports``: per cluster looked at; None where it could not be. ``free``: ids whose server is gone."""

    ports: Mapping[str, tuple[PortSeen, ...] | None]
    free: frozenset[str] = frozenset()


@dataclass(frozen=True)
class CreatePort:
    cluster: str


@dataclass(frozen=True)
class DeletePort:
    cluster: str
    port_id: str


@dataclass(frozen=True)
class RecordPort:
    """Write down the port's id and state (a row, no call)."""

    cluster: str
    port: PortSeen


@dataclass(frozen=True)
class ForgetClusters:
    clusters: frozenset[str]


@dataclass(frozen=True)
class Released:
    """No cluster has a port any more: the row may go."""


Action = CreatePort | DeletePort | RecordPort | ForgetClusters | Released


def decide(desired: Desired, observed: Observed) -> Plan[Action]:
    """Return the next step for the port."""
    candidates = set(desired.footprint) | ({desired.target} if desired.wanted else set())
    if any(observed.ports.get(c) is None for c in candidates):
        condition, outcome = unreachable("The network service")
        return Plan((condition,), outcome)
    leaving = [
        (c, p)
        for c in sorted(observed.ports)
        for p in observed.ports[c] or ()
        if not desired.wanted or c != desired.target
    ]
    if leaving:
        return _release(leaving, observed.free)
    if not desired.wanted:
        return Plan((not_ready("Deleting", "The port is gone."),), Done(), (Released(),))
    return _tend(desired, observed.ports[desired.target] or ())


def _release(leaving: list[tuple[str, PortSeen]], free: frozenset[str]) -> Plan[Action]:
    condition = not_ready("Releasing", "The address is being released where it was used before.")
    deletable = [(c, p) for c, p in leaving if not p.device_id or p.id in free]
    actions = tuple(DeletePort(c, p.id) for c, p in deletable)
    return Plan((condition,), AGAIN if len(deletable) == len(leaving) else HELD, actions)


def _tend(desired: Desired, ports: tuple[PortSeen, ...]) -> Plan[Action]:
    if not ports:
        if not desired.network_ready:
            condition = not_ready("SubnetIsNotReady", "The subnet is being made ready.")
            return Plan((condition,), POLL)
        condition = not_ready("Creating", "The port is being made.")
        return Plan((condition,), AGAIN, (CreatePort(desired.target),))
    keep = min(ports, key=lambda p: (not p.device_id, p.id))
    extra = tuple(
        DeletePort(desired.target, p.id) for p in ports if p is not keep and not p.device_id
    )
    if (keep.ip_address, keep.mac_address.lower()) != (
        desired.ip_address,
        desired.mac_address.lower(),
    ):
        condition = not_ready(
            "NetworkInterfaceAttachmentFailed",
            "The port has another address than the network interface; your platform team must look.",
            terminal=True,
        )
        return Plan((condition,), Transient("the port has another address"))
    actions: tuple[Action, ...] = (RecordPort(desired.target, keep), *extra)
    stale = desired.footprint - {desired.target}
    if stale:
        actions += (ForgetClusters(stale),)
    return Plan((ready("Ready"),), Done(), actions)
