"""Giving out and taking back the addresses of a subnet.

The addresses that nobody has are kept as ranges; each step reads one row, or two, by the index on (subnet, first).
The cost does not depend on how full the subnet is (docs/decisions/0002-address-allocation.md).
"""

import secrets
from enum import StrEnum

from django.db.models import QuerySet

from cycloud.core.aip.errors import AlreadyExists, ResourceExhausted
from networking.domain.addresses import (
    Range,
    check_host_address,
    free_ranges,
    parse_cidr,
    take,
    to_number,
    to_text,
)
from networking.models import FreeRange, Subnet

__all__ = ["Strategy", "allocate", "draw_mac_address", "lock_subnet", "open_ranges", "release"]


class Strategy(StrEnum):
    """Which address an interface gets that asks for none."""

    # the smallest number that is free
    LOWEST = "LOWEST"
    # one at random, or the next free one behind it: an address is seldom given out again soon
    SPREAD = "SPREAD"


def open_ranges(subnet: Subnet) -> None:
    """Make the free ranges of a new subnet."""
    cidr = parse_cidr(subnet.cidr)
    FreeRange.objects.bulk_create(
        FreeRange(subnet=subnet, first=r.first, last=r.last)
        for r in free_ranges(cidr, to_number(subnet.gateway_ip, "gateway_ip"))
    )


def lock_subnet(subnet_pk: int) -> Subnet:
    """Return the subnet with its row locked: all changes of its addresses come one after another.

    Wants a transaction. On SQLite the transaction itself (IMMEDIATE) is the lock.
    """
    return (
        Subnet.objects.select_for_update(of=("self",))
        .select_related("project", "availability_zone")
        .get(pk=subnet_pk)
    )


def allocate(subnet: Subnet, *, wanted: int | None = None, strategy: Strategy) -> int:
    """Take one address (as a number) out of the locked subnet: ``wanted``, or one by ``strategy``.

    Raises InvalidArgument for an address that is outside or reserved, AlreadyExists (ADDRESS_IN_USE) for one
    that is taken, ResourceExhausted (SUBNET_FULL) if there is none left.
    """
    if wanted is not None:
        cidr = parse_cidr(subnet.cidr)
        check_host_address(cidr, to_number(subnet.gateway_ip, "gateway_ip"), wanted)
        free = _at_or_below(subnet, wanted)
        if free is None or free.last < wanted:
            raise AlreadyExists(
                f"{to_text(wanted)} in {subnet.name} is used by another network interface. Choose another "
                "address, or none to get one that is free.",
                reason="ADDRESS_IN_USE",
                metadata={"ip_address": to_text(wanted)},
            )
        number = wanted
    else:
        free, number = _free_address(subnet, strategy)
    _store(free, take(Range(free.first, free.last), number))
    return number


def release(subnet: Subnet, number: int) -> None:
    """Give an address back to the locked subnet, and join it with the free ranges beside it.

    An address that is free already stays so.
    """
    below = _at_or_below(subnet, number)
    if below is not None and below.last >= number:
        return
    above = _ranges(subnet).filter(first=number + 1).order_by("first").first()
    last = number
    if above is not None:
        last = above.last
        above.delete()
    if below is not None and below.last == number - 1:
        below.last = last
        below.save(update_fields=["last"])
    else:
        FreeRange.objects.create(subnet=subnet, first=number, last=last)


def draw_mac_address() -> str:
    """Return a random MAC address, locally administered and unicast (IEEE 802).

    The first byte is always 02: Neutron draws its own below fa:16:3e, and libvirt keeps fe for itself.
    """
    return "02:" + secrets.token_bytes(5).hex(":")


def _ranges(subnet: Subnet) -> QuerySet[FreeRange]:
    return FreeRange.objects.filter(subnet=subnet)


def _at_or_below(subnet: Subnet, number: int) -> FreeRange | None:
    """Return the last range that begins at ``number`` or before it: the only one that can hold it."""
    return _ranges(subnet).filter(first__lte=number).order_by("-first").first()


def _free_address(subnet: Subnet, strategy: Strategy) -> tuple[FreeRange, int]:
    if strategy is Strategy.SPREAD:
        cidr = parse_cidr(subnet.cidr)
        point = cidr.first + secrets.randbelow(cidr.last - cidr.first + 1)
        free = _at_or_below(subnet, point)
        if free is not None and free.last >= point:
            return free, point
        free = _ranges(subnet).filter(first__gt=point).order_by("first").first()
        if free is not None:
            return free, free.first
    free = _ranges(subnet).order_by("first").first()
    if free is None:
        raise ResourceExhausted(
            f"{subnet.name} ({subnet.cidr}) has no free address left. Delete network interfaces that are not "
            "used, or make another subnet.",
            reason="SUBNET_FULL",
            resource=subnet.name,
        )
    return free, free.first


def _store(free: FreeRange, left: tuple[Range, ...]) -> None:
    """Replace a range by what is left of it: none, one or two ranges."""
    if not left:
        free.delete()
        return
    # the upper part last: its row is new, where there are two
    free.first, free.last = left[0].first, left[0].last
    free.save(update_fields=["first", "last"])
    for part in left[1:]:
        FreeRange.objects.create(subnet_id=free.subnet_id, first=part.first, last=part.last)
