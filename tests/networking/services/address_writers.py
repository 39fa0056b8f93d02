"""Sixteen writers on one /16. Run by test_address_writers.py, once per kind of database."""

import itertools
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cycloud.core.aip.errors import AlreadyExists
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from networking.domain.addresses import to_number, to_text
from networking.models import FreeRange, NetworkInterface, Subnet
from networking.selectors.networks import count_free_addresses
from networking.services.addresses import allocate, release
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    Strategy,
    create_network_interface,
    delete_network_interface,
)
from tests.factories.iam import ProjectFactory, member
from tests.factories.networking import SubnetFactory

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 16
EACH = 15
HOSTS = 2**16 - 3


@pytest.fixture
def project(transactional_db: None) -> Project:
    return ProjectFactory.create(resource_id="p")


@pytest.fixture
def subnet(project: Project) -> Subnet:
    return SubnetFactory.create(project=project, resource_id="s", cidr="10.7.0.0/16")


def run_writers(write: Callable[[int], list[str]]) -> list[list[str]]:
    """Start ``write`` in all threads at once; an error in one of them fails the test."""
    barrier = Barrier(WRITERS)

    def work(index: int) -> list[str]:
        try:
            barrier.wait(timeout=60)
            return write(index)
        finally:
            connection.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(work, range(WRITERS)))


def create(actor: Actor, strategy: Strategy, ip_address: str | None = None) -> NetworkInterface:
    data = NetworkInterfaceInput("s", ip_address, strategy)
    written = create_network_interface(actor=actor, project_id="p", data=data)
    assert written.resource is not None
    return written.resource


def assert_free_and_taken_make_the_whole(subnet: Subnet) -> None:
    taken = set(NetworkInterface.objects.values_list("ip_number", flat=True))
    ranges = list(FreeRange.objects.filter(subnet=subnet).order_by("first"))
    assert all(a.last + 1 < b.first for a, b in itertools.pairwise(ranges))
    assert not any(r.first <= number <= r.last for r in ranges for number in taken)
    assert count_free_addresses(subnet) == HOSTS - len(taken)


def test_no_address_is_given_twice(project: Project, subnet: Subnet) -> None:
    actor = member(project)

    def write(index: int) -> list[str]:
        strategy = Strategy.SPREAD if index % 2 else Strategy.LOWEST
        return [create(actor, strategy).ip_address for _ in range(EACH)]

    given = Counter(address for part in run_writers(write) for address in part)
    assert max(given.values()) == 1
    assert len(given) == NetworkInterface.objects.count() == WRITERS * EACH
    assert_free_and_taken_make_the_whole(subnet)


def test_lowest_free_addresses_leave_no_gap(project: Project, subnet: Subnet) -> None:
    actor = member(project)

    def write(index: int) -> list[str]:
        return [create(actor, Strategy.LOWEST).ip_address for _ in range(5)]

    run_writers(write)
    numbers = sorted(NetworkInterface.objects.values_list("ip_number", flat=True))
    first = to_number("10.7.0.2", "ip_address")
    assert numbers == list(range(first, first + WRITERS * 5))


def test_a_chosen_address_goes_to_one_writer(project: Project, subnet: Subnet) -> None:
    actor = member(project)
    first = to_number("10.7.9.0", "ip_address")
    wanted = [to_text(first + i) for i in range(6)]

    def write(index: int) -> list[str]:
        won = []
        for address in wanted:
            try:
                won.append(create(actor, Strategy.LOWEST, address).ip_address)
            except AlreadyExists as refusal:
                assert refusal.reason == "ADDRESS_IN_USE"
        return won

    won = [address for part in run_writers(write) for address in part]
    assert sorted(won, key=wanted.index) == wanted
    assert_free_and_taken_make_the_whole(subnet)


def test_addresses_come_back_while_others_are_given(project: Project, subnet: Subnet) -> None:
    actor = member(project)

    def write(index: int) -> list[str]:
        for _ in range(6):
            kept, gone = (create(actor, Strategy.LOWEST) for _ in range(2))
            delete_network_interface(
                actor=actor, project_id="p", network_interface_id=gone.resource_id
            )
        return [kept.ip_address]

    run_writers(write)
    assert NetworkInterface.objects.count() == WRITERS * 6
    assert_free_and_taken_make_the_whole(subnet)


@pytest.mark.parametrize("verb", ["lowest", "spread", "chosen", "release"])
def test_every_search_goes_through_the_index(
    subnet: Subnet, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where every other address of the /16 is taken: as many ranges as there can be."""
    monkeypatch.setattr("secrets.randbelow", lambda size: 40_001)
    FreeRange.objects.filter(subnet=subnet).delete()
    base = to_number("10.7.0.10", "ip_address")
    FreeRange.objects.bulk_create(
        FreeRange(subnet=subnet, first=base + 2 * i, last=base + 2 * i) for i in range(30_000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    with CaptureQueriesContext(connection) as queries:
        match verb:
            case "lowest":
                allocate(subnet, strategy=Strategy.LOWEST)
            case "spread":
                allocate(subnet, strategy=Strategy.SPREAD)
            case "chosen":
                allocate(subnet, wanted=base + 40_000, strategy=Strategy.LOWEST)
            case "release":
                release(subnet, base + 40_001)
    searches = [q["sql"] for q in queries if q["sql"].startswith("SELECT")]
    assert searches
    for sql in searches:
        plan = explain(sql)
        assert "Sort" not in plan and "B-TREE" not in plan, plan
        assert "SEARCH" in plan or "Index Scan" in plan, plan
        assert "free_range_first" in plan or "autoindex" in plan, plan


def explain(sql: str) -> str:
    """Return how the database would run a query."""
    how = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
    with connection.cursor() as cursor:
        cursor.execute(f"{how} {sql}")
        return "\n".join(str(row[-1]) for row in cursor.fetchall())
