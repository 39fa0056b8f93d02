"""Arithmetic and rules of IPv4 addresses. Pure; addresses are numbers (RFC 791, big endian) or dotted texts."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network, NetmaskValueError

from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument

# a /29 holds 5 addresses to give out; a /8 is the largest private network (RFC 1918)
_SHORTEST_PREFIX = 8
_LONGEST_PREFIX = 29


@dataclass(frozen=True)
class Range:
    """Addresses ``first``..``last``, inclusive."""

    first: int
    last: int


@dataclass(frozen=True)
class Cidr:
    """A checked network. ``first`` is the network address, ``last`` the broadcast address."""

    text: str
    first: int
    last: int

    def __contains__(self, number: int) -> bool:
        return self.first <= number <= self.last

    def overlaps(self, other: "Cidr") -> bool:
        return self.first <= other.last and other.first <= self.last


def to_number(text: str, field: str) -> int:
    """Return the address as a number; raise InvalidArgument naming ``field``."""
    try:
        return int(IPv4Address(text))
    except AddressValueError:
        raise InvalidArgument.field(
            field,
            f"{str(text)[:60]!r} is not an IPv4 address such as 10.0.1.23.",
            "INVALID_ADDRESS",
        ) from None


def to_text(number: int) -> str:
    """Return the address in dotted form."""
    return str(IPv4Address(number))


def parse_cidr(text: str, field: str = "cidr") -> Cidr:
    """Return the network that ``text`` names.

    Raises InvalidArgument with the reason INVALID_CIDR (no network at all), CIDR_HOST_BITS (the address has bits
    behind the prefix), CIDR_SIZE (not /8 to /29) or CIDR_NOT_UNICAST (loopback, link-local, multicast, reserved).
    """
    address, slash, prefix = text.partition("/") if isinstance(text, str) else ("", "", "")
    # only "/24": a netmask or a missing prefix would be taken by the parser below
    if not slash or not prefix.isascii() or not prefix.isdigit() or len(prefix) > 2:
        raise _bad_cidr(text, field)
    try:
        network = IPv4Network(f"{address}/{prefix}", strict=False)
    except (AddressValueError, NetmaskValueError):
        raise _bad_cidr(text, field) from None
    canonical = str(network)
    if int(IPv4Address(address)) != int(network.network_address):
        raise InvalidArgument.field(
            field,
            f"{text} has bits set behind its prefix. Did you mean {canonical}?",
            "CIDR_HOST_BITS",
        )
    if not _SHORTEST_PREFIX <= network.prefixlen <= _LONGEST_PREFIX:
        raise InvalidArgument.field(
            field,
            f"{canonical} is too {'large' if network.prefixlen < _SHORTEST_PREFIX else 'small'}. "
            f"Use /{_SHORTEST_PREFIX} to /{_LONGEST_PREFIX}.",
            "CIDR_SIZE",
        )
    first, last = int(network.network_address), int(network.broadcast_address)
    for other, what in _NOT_UNICAST:
        if first <= int(other.broadcast_address) and int(other.network_address) <= last:
            raise InvalidArgument.field(
                field,
                f"{canonical} overlaps {other} ({what}). Use a private range, such as one in 10.0.0.0/8.",
                "CIDR_NOT_UNICAST",
            )
    return Cidr(canonical, first, last)


# what no interface may have (RFC 6890)
_NOT_UNICAST = (
    (IPv4Network("0.0.0.0/8"), "this network"),
    (IPv4Network("127.0.0.0/8"), "loopback"),
    (IPv4Network("169.254.0.0/16"), "link-local; the metadata service is there"),
    (IPv4Network("224.0.0.0/3"), "multicast and reserved"),
)


def _bad_cidr(text: str, field: str) -> InvalidArgument:
    return InvalidArgument.field(
        field, f"{str(text)[:60]!r} is not an IPv4 network such as 10.0.1.0/24.", "INVALID_CIDR"
    )


def gateway_of(cidr: Cidr, gateway: str | None, field: str = "gateway_ip") -> int:
    """Return the gateway's address: the one asked for, or the first behind the network address.

    Raises InvalidArgument (GATEWAY_OUTSIDE) if it is not a host address of the network.
    """
    if not gateway:
        return cidr.first + 1
    number = to_number(gateway, field)
    if not cidr.first < number < cidr.last:
        raise InvalidArgument.field(
            field, f"{gateway} is not a host address of {cidr.text}.", "GATEWAY_OUTSIDE"
        )
    return number


def free_ranges(cidr: Cidr, gateway: int) -> tuple[Range, ...]:
    """Return what can be given out: all but the network, broadcast and gateway addresses."""
    ranges = (Range(cidr.first + 1, gateway - 1), Range(gateway + 1, cidr.last - 1))
    return tuple(r for r in ranges if r.first <= r.last)


def check_host_address(cidr: Cidr, gateway: int, number: int, field: str = "ip_address") -> None:
    """Raise InvalidArgument unless the address may be given to an interface.

    ADDRESS_OUTSIDE: not in the network; ADDRESS_RESERVED: its network, broadcast or gateway address.
    """
    if number not in cidr:
        raise InvalidArgument.field(
            field, f"{to_text(number)} is not in {cidr.text}.", "ADDRESS_OUTSIDE"
        )
    reserved = {cidr.first: "network", cidr.last: "broadcast", gateway: "gateway"}.get(number)
    if reserved is not None:
        raise InvalidArgument.field(
            field,
            f"{to_text(number)} is the {reserved} address of {cidr.text} and is never given out.",
            "ADDRESS_RESERVED",
        )


def check_no_overlap(cidr: Cidr, others: Iterable[tuple[str, str]]) -> None:
    """Raise FailedPrecondition (CIDR_OVERLAP) if one of the (name, cidr) pairs shares an address."""
    for name, text in others:
        if cidr.overlaps(parse_cidr(text)):
            raise FailedPrecondition(
                f"{cidr.text} overlaps {text} of {name}. Choose a range that no subnet of the VPC has.",
                reason="CIDR_OVERLAP",
                metadata={"subnet": name},
            )


def take(free: Range, number: int) -> tuple[Range, ...]:
    """Return what is left of ``free`` when ``number``, which is in it, is taken."""
    left = (Range(free.first, number - 1), Range(number + 1, free.last))
    return tuple(r for r in left if r.first <= r.last)
