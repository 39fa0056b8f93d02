from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cycloud.core.conditions import Status
from cycloud.openstack.observations import NetworkSeen, SubnetSeen
from networking.domain.openstack_subnet import (
    Action,
    CreateNetwork,
    CreateSubnet,
    DeleteNetwork,
    DeleteSubnet,
    DesiredSubnet,
    ObservedSubnet,
    decide,
)

UID = "6f0a"
CIDR = "10.0.1.0/24"
DESIRED = DesiredSubnet(UID, CIDR, "10.0.1.1", generation=3)
UNWANTED = replace(DESIRED, wanted=False)


def network(id_: str) -> NetworkSeen:
    return NetworkSeen(id_, UID)


def subnet(id_: str, network_id: str, cidr: str = CIDR) -> SubnetSeen:
    return SubnetSeen(id_, UID, network_id, cidr)


CREATE_SUBNET = CreateSubnet(UID, "n1", CIDR, "10.0.1.1")


@pytest.mark.parametrize(
    ("networks", "subnets", "actions", "reason"),
    [
        ((), (), (CreateNetwork(UID),), "Creating"),
        ((network("n1"),), (), (CREATE_SUBNET,), "Creating"),
        ((network("n2"), network("n1")), (), (CREATE_SUBNET, DeleteNetwork("n2")), "Creating"),
        ((network("n1"),), (subnet("s1", "n1"),), (), "Available"),
        (
            (network("n1"), network("n2")),
            (subnet("s1", "n2"),),
            (DeleteNetwork("n1"),),
            "Available",
        ),
        ((network("n1"),), (subnet("s1", "n1", "10.0.2.0/24"),), (), "ProviderError"),
        ((network("n1"),), (subnet("s1", "foreign"),), (), "ProviderError"),
        ((), (subnet("s1", "foreign"),), (), "ProviderError"),
        ((network("n1"),), (subnet("s1", "n1"), subnet("s2", "n1")), (), "ProviderError"),
        (None, (), (), "ProviderUnreachable"),
        ((), None, (), "ProviderUnreachable"),
        (None, None, (), "ProviderUnreachable"),
    ],
)
def test_each_thing_that_can_be_seen_has_one_answer(
    networks: tuple[NetworkSeen, ...] | None,
    subnets: tuple[SubnetSeen, ...] | None,
    actions: tuple[Action, ...],
    reason: str,
) -> None:
    plan = decide(DESIRED, ObservedSubnet(networks, subnets))
    assert (plan.actions, plan.ready.reason) == (actions, reason)
    assert plan.ready.observed_generation == 3
    assert plan.ready.terminal is (reason == "ProviderError")
    assert (plan.ready.status is Status.TRUE) is (reason == "Available")


def test_ready_names_the_ids_that_were_adopted() -> None:
    plan = decide(DESIRED, ObservedSubnet((network("n1"),), (subnet("s1", "n1"),)))
    assert (plan.network_id, plan.subnet_id) == ("n1", "s1")


@pytest.mark.parametrize(
    ("networks", "subnets", "actions", "gone"),
    [
        ((network("n1"),), (subnet("s1", "n1"),), (DeleteSubnet("s1"),), False),
        ((network("n2"), network("n1")), (), (DeleteNetwork("n1"), DeleteNetwork("n2")), False),
        ((), (), (), True),
        (None, (), (), False),
        ((), None, (), False),
    ],
)
def test_what_is_not_wanted_goes_subnet_first(
    networks: tuple[NetworkSeen, ...] | None,
    subnets: tuple[SubnetSeen, ...] | None,
    actions: tuple[Action, ...],
    gone: bool,
) -> None:
    plan = decide(UNWANTED, ObservedSubnet(networks, subnets))
    assert (plan.actions, plan.gone) == (actions, gone)


@dataclass
class ModelCloud:
    """Networks and subnets as Neutron would keep them: no network goes while it has a subnet."""

    networks: dict[str, NetworkSeen] = field(default_factory=dict)
    subnets: dict[str, SubnetSeen] = field(default_factory=dict)
    made: int = 0

    def observe(self) -> ObservedSubnet:
        return ObservedSubnet(tuple(self.networks.values()), tuple(self.subnets.values()))

    def apply(self, action: Action) -> None:
        self.made += 1
        match action:
            case CreateNetwork(uid):
                self.networks[f"n{self.made}"] = NetworkSeen(f"n{self.made}", uid)
            case CreateSubnet(uid, network_id, cidr, _):
                assert network_id in self.networks
                seen = SubnetSeen(f"s{self.made}", uid, network_id, cidr)
                self.subnets[seen.id] = seen
            case DeleteSubnet(subnet_id):
                self.subnets.pop(subnet_id)
            case DeleteNetwork(network_id):
                assert all(s.network_id != network_id for s in self.subnets.values())
                self.networks.pop(network_id)


@st.composite
def clouds(draw: st.DrawFn) -> ModelCloud:
    """A cloud as lost answers, crashes and removals by hand may leave it: no two subnets."""
    ids = draw(st.sets(st.sampled_from(["n-a", "n-b", "n-c", "n-d"])))
    cloud = ModelCloud({id_: network(id_) for id_ in ids})
    home = draw(st.sampled_from([None, *sorted(ids)]))
    if home is not None:
        cloud.subnets["s-a"] = subnet("s-a", home)
    return cloud


def run(cloud: ModelCloud, desired: DesiredSubnet, unknown: list[bool]) -> int:
    """Reconcile until a plan is empty; where ``unknown`` says so, the cloud cannot be seen in a pass."""
    for passes in range(30):
        if passes < len(unknown) and unknown[passes]:
            assert decide(desired, ObservedSubnet(None, None)).actions == ()
            continue
        actions = decide(desired, cloud.observe()).actions
        if not actions:
            return passes
        # a crash after the first action: the rest is decided anew
        for action in actions[: 1 if passes % 2 else None]:
            cloud.apply(action)
    raise AssertionError("does not converge")


@given(clouds(), st.lists(st.booleans(), max_size=5))
def test_every_cloud_converges_to_one_network_with_one_subnet(
    cloud: ModelCloud, unknown: list[bool]
) -> None:
    kept = dict(cloud.subnets)
    run(cloud, DESIRED, unknown)
    assert len(cloud.networks) == len(cloud.subnets) == 1
    (only,) = cloud.subnets.values()
    assert only.network_id in cloud.networks
    assert only.cidr == CIDR
    # what may have ports in it is never made anew
    assert not kept or kept == cloud.subnets
    plan = decide(DESIRED, cloud.observe())
    assert plan.actions == ()
    assert plan.ready.status is Status.TRUE


@given(clouds(), st.lists(st.booleans(), max_size=5))
def test_nothing_is_left_of_a_subnet_that_is_not_wanted(
    cloud: ModelCloud, unknown: list[bool]
) -> None:
    run(cloud, UNWANTED, unknown)
    assert cloud.networks == {}
    assert cloud.subnets == {}
    assert decide(UNWANTED, cloud.observe()).gone
