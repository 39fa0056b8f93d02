"""Giving out addresses: against a plain set, and with a cost that does not grow."""

import itertools
import re
from ipaddress import IPv4Network

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cycloud.core.aip.errors import AlreadyExists, InvalidArgument, ResourceExhausted
from networking.domain.addresses import to_number, to_text
from networking.models import FreeRange, Subnet
from networking.selectors.networks import count_free_addresses
from networking.services.addresses import (
    Strategy,
    allocate,
    draw_mac_address,
    lock_subnet,
    release,
)
from tests.factories.networking import SubnetFactory

pytestmark = pytest.mark.django_db


def free_numbers(subnet: Subnet) -> list[int]:
    ranges = FreeRange.objects.filter(subnet=subnet).order_by("first")
    return [n for r in ranges for n in range(r.first, r.last + 1)]


def assert_no_ranges_touch(subnet: Subnet) -> None:
    ranges = list(FreeRange.objects.filter(subnet=subnet).order_by("first"))
    assert all(a.last + 1 < b.first for a, b in itertools.pairwise(ranges))


# each step: take one by a strategy, take a chosen one, or give one back
steps = st.lists(
    st.tuples(st.sampled_from(["lowest", "spread", "chosen", "release"]), st.integers(0, 31)),
    max_size=60,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(27, 29), st.integers(0, 100), steps)
def test_addresses_behave_as_a_set(prefix: int, gateway: int, plan: list[tuple[str, int]]) -> None:
    network = IPv4Network(f"10.9.8.0/{prefix}")
    hosts = [int(host) for host in network.hosts()]
    gateway = hosts[gateway % len(hosts)]
    with transaction.atomic():
        subnet = SubnetFactory.create(cidr=str(network), gateway_ip=to_text(gateway))
    base = int(network.network_address)
    free = set(hosts) - {gateway}
    for verb, offset in plan:
        number = base + offset
        match verb:
            case "lowest" | "spread":
                strategy = Strategy.LOWEST if verb == "lowest" else Strategy.SPREAD
                if not free:
                    with pytest.raises(ResourceExhausted):
                        allocate(subnet, strategy=strategy)
                    continue
                got = allocate(subnet, strategy=strategy)
                assert got in free
                assert verb == "spread" or got == min(free)
                free.remove(got)
            case "chosen" if number in free:
                assert allocate(subnet, wanted=number, strategy=Strategy.LOWEST) == number
                free.remove(number)
            case "chosen":
                with pytest.raises((AlreadyExists, InvalidArgument)):
                    allocate(subnet, wanted=number, strategy=Strategy.LOWEST)
            case "release" if number in hosts and number != gateway:
                release(subnet, number)
                free.add(number)
        assert free_numbers(subnet) == sorted(free)
        assert_no_ranges_touch(subnet)
    assert count_free_addresses(subnet) == len(free)


def test_lowest_takes_the_first_free_address_again_when_it_comes_back() -> None:
    subnet = SubnetFactory.create(cidr="10.0.1.0/24")
    first, second, _ = (allocate(subnet, strategy=Strategy.LOWEST) for _ in range(3))
    assert (to_text(first), to_text(second)) == ("10.0.1.2", "10.0.1.3")
    release(subnet, second)
    assert allocate(subnet, strategy=Strategy.LOWEST) == second


def test_spread_leaves_the_point_it_drew_to_the_next_free_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    subnet = SubnetFactory.create(cidr="10.0.1.0/29")
    monkeypatch.setattr("secrets.randbelow", lambda size: 3)
    got = [to_text(allocate(subnet, strategy=Strategy.SPREAD)) for _ in range(5)]
    # .3 itself, what is behind it, and then from the start again
    assert got == ["10.0.1.3", "10.0.1.4", "10.0.1.5", "10.0.1.6", "10.0.1.2"]


def test_a_used_address_a_full_subnet_and_a_wrong_address_have_own_errors() -> None:
    subnet = SubnetFactory.create(cidr="10.0.1.0/29")
    for _ in range(5):
        allocate(subnet, strategy=Strategy.LOWEST)
    with pytest.raises(ResourceExhausted) as full:
        allocate(subnet, strategy=Strategy.LOWEST)
    with pytest.raises(AlreadyExists) as used:
        allocate(subnet, wanted=to_number("10.0.1.4", "ip"), strategy=Strategy.LOWEST)
    with pytest.raises(InvalidArgument) as outside:
        allocate(subnet, wanted=to_number("10.0.2.4", "ip"), strategy=Strategy.LOWEST)
    assert full.value.reason == "SUBNET_FULL"
    assert used.value.reason == "ADDRESS_IN_USE"
    assert outside.value.violations[0].reason == "ADDRESS_OUTSIDE"


def test_a_mac_address_is_local_unicast_and_not_reserved() -> None:
    for _ in range(200):
        mac = draw_mac_address()
        assert re.fullmatch(r"02(:[0-9a-f]{2}){5}", mac)


def _fragmented(holes: int) -> Subnet:
    """A /16 of which every other address is taken: as many ranges as can be."""
    subnet = SubnetFactory.create(cidr="10.20.0.0/16")
    FreeRange.objects.filter(subnet=subnet).delete()
    base = to_number("10.20.0.10", "ip")
    FreeRange.objects.bulk_create(
        FreeRange(subnet=subnet, first=base + 2 * i, last=base + 2 * i) for i in range(holes)
    )
    return subnet


@pytest.mark.parametrize("verb", ["lowest", "spread", "chosen", "release"])
def test_the_number_of_queries_does_not_depend_on_how_full_it_is(
    verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda size: 8)
    counts = []
    for holes in (3, 20_000):
        subnet = _fragmented(holes)
        middle = to_number("10.20.0.12", "ip")
        with (
            CaptureQueriesContext(
                connection,
            ) as queries,
            transaction.atomic(),
        ):
            locked = lock_subnet(subnet.pk)
            match verb:
                case "lowest":
                    allocate(locked, strategy=Strategy.LOWEST)
                case "spread":
                    allocate(locked, strategy=Strategy.SPREAD)
                case "chosen":
                    allocate(locked, wanted=middle, strategy=Strategy.LOWEST)
                case "release":
                    release(locked, middle + 1)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 8
