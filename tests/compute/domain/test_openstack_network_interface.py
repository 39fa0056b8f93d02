"""The port's decision: an address is never in two places, and never taken from under a guest."""

from typing import Any

import pytest

from compute.domain.openstack_network_interface import (
    Action,
    CreatePort,
    DeletePort,
    Desired,
    ForgetClusters,
    Observed,
    RecordPort,
    Released,
    decide,
)
from cycloud.openstack.observations import PortSeen

IP, MAC = "10.0.0.5", "fa:16:3e:00:00:01"


def port(id_: str = "p1", device: str = "", **kw: Any) -> PortSeen:
    defaults: dict[str, Any] = {"uid": "u", "network_id": "n", "ip_address": IP, "mac_address": MAC}
    return PortSeen(id=id_, device_id=device, **{**defaults, **kw})


def wanted(**kw: Any) -> Desired:
    return Desired(**{"target": "a", "ip_address": IP, "mac_address": MAC.upper(), **kw})


BOTH = frozenset({"a", "b"})


@pytest.mark.parametrize(
    ("desired", "observed", "actions", "reason"),
    [
        pytest.param(wanted(), Observed({"a": ()}), [CreatePort("a")], "Creating", id="made"),
        pytest.param(wanted(), Observed({"a": None}), [], "ProviderUnreachable", id="unknown"),
        pytest.param(
            wanted(network_ready=False), Observed({"a": ()}), [], "SubnetIsNotReady",
            id="waits for the subnet",
        ),
        pytest.param(
            wanted(), Observed({"a": (port(),)}), [RecordPort("a", port())], "Ready", id="as wanted"
        ),
        pytest.param(
            wanted(), Observed({"a": (port("p1"), port("p2", "s1"))}),
            [RecordPort("a", port("p2", "s1")), DeletePort("a", "p1")], "Ready",
            id="of two the one that a server has stays",
        ),
        pytest.param(
            wanted(), Observed({"a": (port(ip_address="10.0.0.6"),)}), [],
            "NetworkInterfaceAttachmentFailed", id="another address is left to a person",
        ),
        pytest.param(
            wanted(footprint=BOTH), Observed({"a": (), "b": (port("p9", "s9"),)}), [], "Releasing",
            id="not taken from under a guest",
        ),
        pytest.param(
            wanted(footprint=BOTH), Observed({"a": (), "b": (port("p9"),)}), [DeletePort("b", "p9")],
            "Releasing", id="released first where it was",
        ),
        pytest.param(
            wanted(footprint=BOTH), Observed({"a": (), "b": (port("p9", "s9"),)}, frozenset({"p9"})),
            [DeletePort("b", "p9")], "Releasing", id="released if its server is gone",
        ),
        pytest.param(
            wanted(footprint=BOTH), Observed({"a": (port(),), "b": ()}),
            [RecordPort("a", port()), ForgetClusters(frozenset({"b"}))], "Ready",
            id="an old place is forgotten",
        ),
        pytest.param(
            wanted(footprint=BOTH), Observed({"a": (), "b": None}), [], "ProviderUnreachable",
            id="unknown elsewhere",
        ),
        pytest.param(
            wanted(wanted=False, footprint=frozenset({"a"})), Observed({"a": (port(),)}),
            [DeletePort("a", "p1")], "Deleting", id="not wanted",
        ),
        pytest.param(wanted(wanted=False), Observed({"a": ()}), [Released()], "Deleting", id="gone"),
    ],
)  # fmt: skip
def test_rule(desired: Desired, observed: Observed, actions: list[Action], reason: str) -> None:
    plan = decide(desired, observed)
    assert list(plan.actions) == actions
    if desired.wanted:
        assert plan.conditions[0].reason == reason
