"""Fills a /16 with 16 threads; a process of its own, run by ``allocations``. Prints rates as JSON."""

import itertools
import json
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier

from django.db import connection

from catalog.services.availability_zones import (
    AvailabilityZoneInput,
    create_availability_zone,
)
from cycloud.core.aip.errors import AlreadyExists, ResourceExhausted
from cycloud.core.iam.actor import system_actor
from cycloud.core.iam.services.projects import create_project
from networking.domain.addresses import free_ranges, parse_cidr, to_number, to_text
from networking.models import FreeRange, NetworkInterface, Subnet
from networking.services.addresses import draw_mac_address
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    Strategy,
    create_network_interface,
)
from networking.services.subnets import SubnetInput, create_subnet
from networking.services.vpcs import VpcInput, create_vpc

WRITERS = 16
QUARTERS = 4
CIDR = "10.7.0.0/16"
ACTOR = system_actor("bench")


def main(strategy: Strategy, sample: int) -> list[float]:
    """Return the rates (addresses per second) of the samples of all quarters."""
    project = f"bench-{strategy.lower()}"
    subnet = make_subnet(project)
    hosts = [
        number
        for found in free_ranges(parse_cidr(CIDR), to_number(subnet.gateway_ip, "gateway_ip"))
        for number in range(found.first, found.last + 1)
    ]
    quarter = len(hosts) // QUARTERS
    sample = min(sample, quarter)
    rates = []
    for index in range(QUARTERS):
        last = index == QUARTERS - 1
        begin = len(hosts) - sample if last else index * quarter
        fill(subnet, hosts, begin, strategy)
        rates.append(measure(project, sample, strategy))
    check_full(project, subnet, len(hosts))
    return rates


def make_subnet(project: str) -> Subnet:
    with suppress(AlreadyExists):
        create_availability_zone(
            actor=ACTOR, resource_id="bench", data=AvailabilityZoneInput("bench")
        )
    create_project(actor=ACTOR, project_id=project, display_name=project)
    create_vpc(actor=ACTOR, project_id=project, vpc_id="v", data=VpcInput())
    data = SubnetInput(vpc="v", availability_zone="bench", cidr=CIDR)
    create_subnet(actor=ACTOR, project_id=project, subnet_id="s", data=data)
    return Subnet.objects.get(project__resource_id=project)


def fill(subnet: Subnet, hosts: list[int], wanted: int, strategy: Strategy) -> None:
    """Take addresses in bulk, as ``strategy`` would, until ``wanted`` of them are taken."""
    taken = set(NetworkInterface.objects.filter(subnet=subnet).values_list("ip_number", flat=True))
    free = [number for number in hosts if number not in taken]
    missing = wanted - len(taken)
    if missing <= 0:
        return
    new = free[:missing] if strategy is Strategy.LOWEST else random.sample(free, missing)
    NetworkInterface.objects.bulk_create(
        [
            NetworkInterface(
                project_id=subnet.project_id,
                subnet=subnet,
                resource_id=f"bulk-{number}",
                ip_number=number,
                ip_address=to_text(number),
                mac_address=draw_mac_address(),
            )
            for number in new
        ],
        batch_size=1000,
    )
    left = sorted(set(free).difference(new))
    FreeRange.objects.filter(subnet=subnet).delete()
    FreeRange.objects.bulk_create(
        [
            FreeRange(subnet=subnet, first=run[0], last=run[-1])
            for _, group in itertools.groupby(enumerate(left), lambda pair: pair[1] - pair[0])
            for run in [[number for _, number in group]]
        ],
        batch_size=1000,
    )
    with connection.cursor() as cursor:
        # as the database's own housekeeping would have done by then
        cursor.execute("ANALYZE")


def measure(project: str, count: int, strategy: Strategy) -> float:
    """Let the writers take ``count`` addresses together; return how many that was per second."""
    left = itertools.count()
    barrier = Barrier(WRITERS + 1)
    data = NetworkInterfaceInput("s", strategy=strategy)

    def write() -> None:
        connection.ensure_connection()
        barrier.wait()
        try:
            while next(left) < count:
                create_network_interface(actor=ACTOR, project_id=project, data=data)
        finally:
            connection.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        writers = [pool.submit(write) for _ in range(WRITERS)]
        barrier.wait()
        begin = time.perf_counter()
        for writer in writers:
            writer.result()
        return count / (time.perf_counter() - begin)


def check_full(project: str, subnet: Subnet, hosts: int) -> None:
    """Every address was given once, and there is none left."""
    numbers = NetworkInterface.objects.filter(subnet=subnet).values_list("ip_number", flat=True)
    assert len(numbers) == len(set(numbers)) == hosts, (len(numbers), hosts)
    assert not FreeRange.objects.filter(subnet=subnet).exists()
    with suppress(ResourceExhausted):
        create_network_interface(actor=ACTOR, project_id=project, data=NetworkInterfaceInput("s"))
        raise AssertionError("an address was given out that the subnet does not have")


if __name__ == "__main__":
    print(json.dumps(main(Strategy(sys.argv[1]), int(sys.argv[2]))))
