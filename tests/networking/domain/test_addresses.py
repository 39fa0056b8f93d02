from ipaddress import IPv4Address, IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument
from networking.domain.addresses import (
    Range,
    check_host_address,
    check_no_overlap,
    free_ranges,
    gateway_of,
    parse_cidr,
    take,
    to_number,
    to_text,
)


def reason_of(error: InvalidArgument) -> str:
    (violation,) = error.violations
    return violation.reason


@pytest.mark.parametrize(
    "text", ["10.0.0.0/8", "10.0.1.0/24", "192.168.1.248/29", "203.0.112.0/22"]
)
def test_a_good_network_is_taken_as_it_is(text: str) -> None:
    cidr = parse_cidr(text)
    network = IPv4Network(text)
    assert cidr.text == text
    assert (cidr.first, cidr.last) == (
        int(network.network_address),
        int(network.broadcast_address),
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "INVALID_CIDR"),
        ("10.0.1.0", "INVALID_CIDR"),
        ("10.0.1.0/", "INVALID_CIDR"),
        ("10.0.1.0/33", "INVALID_CIDR"),
        ("10.0.1.0/-1", "INVALID_CIDR"),
        ("10.0.1.0/024", "INVALID_CIDR"),
        ("10.0.1.0/255.255.255.0", "INVALID_CIDR"),
        ("10.0.1.0/٢٤", "INVALID_CIDR"),
        ("10.0.1/24", "INVALID_CIDR"),
        ("010.0.1.0/24", "INVALID_CIDR"),
        ("fd00::/64", "INVALID_CIDR"),
        ("10.0.1.0/24\n", "INVALID_CIDR"),
        ("10.0.1.5/24", "CIDR_HOST_BITS"),
        ("0.0.0.0/0", "CIDR_SIZE"),
        ("10.0.0.0/7", "CIDR_SIZE"),
        ("10.0.1.0/30", "CIDR_SIZE"),
        ("10.0.1.0/32", "CIDR_SIZE"),
        ("127.0.0.0/24", "CIDR_NOT_UNICAST"),
        ("169.254.169.0/24", "CIDR_NOT_UNICAST"),
        ("169.0.0.0/8", "CIDR_NOT_UNICAST"),
        ("224.0.0.0/24", "CIDR_NOT_UNICAST"),
        ("255.255.255.0/24", "CIDR_NOT_UNICAST"),
        ("0.0.0.0/24", "CIDR_NOT_UNICAST"),
    ],
)
def test_a_wrong_network_has_its_own_error(text: str, reason: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_cidr(text)
    assert reason_of(caught.value) == reason
    assert caught.value.violations[0].field == "cidr"


def test_host_bits_are_answered_with_the_network_that_was_meant() -> None:
    with pytest.raises(InvalidArgument, match=r"Did you mean 10\.0\.1\.0/24\?"):
        parse_cidr("10.0.1.77/24")


@pytest.mark.parametrize(
    ("gateway", "expected"),
    [(None, "10.0.1.1"), ("", "10.0.1.1"), ("10.0.1.254", "10.0.1.254"), ("10.0.1.9", "10.0.1.9")],
)
def test_the_gateway_is_the_first_host_unless_one_is_asked_for(
    gateway: str | None, expected: str
) -> None:
    assert to_text(gateway_of(parse_cidr("10.0.1.0/24"), gateway)) == expected


@pytest.mark.parametrize("gateway", ["10.0.1.0", "10.0.1.255", "10.0.2.1", "nonsense"])
def test_a_gateway_is_a_host_of_the_network(gateway: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        gateway_of(parse_cidr("10.0.1.0/24"), gateway)
    assert caught.value.violations[0].field == "gateway_ip"


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("10.0.0.255", "ADDRESS_OUTSIDE"),
        ("10.0.2.0", "ADDRESS_OUTSIDE"),
        ("10.0.1.0", "ADDRESS_RESERVED"),
        ("10.0.1.255", "ADDRESS_RESERVED"),
        ("10.0.1.7", "ADDRESS_RESERVED"),
    ],
)
def test_what_no_interface_may_have_is_refused(address: str, reason: str) -> None:
    cidr = parse_cidr("10.0.1.0/24")
    gateway = to_number("10.0.1.7", "gateway_ip")
    with pytest.raises(InvalidArgument) as caught:
        check_host_address(cidr, gateway, to_number(address, "ip_address"))
    assert reason_of(caught.value) == reason


@pytest.mark.parametrize("text", ["10.0.1.256", "10.0.1", "::1", "", "1e3", "٣.1.1.1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        to_number(text, "ip_address")
    assert reason_of(caught.value) == "INVALID_ADDRESS"


@pytest.mark.parametrize("other", ["10.0.0.0/8", "10.0.1.0/24", "10.0.1.128/25", "10.0.0.0/23"])
def test_networks_that_share_an_address_overlap(other: str) -> None:
    with pytest.raises(FailedPrecondition) as caught:
        check_no_overlap(parse_cidr("10.0.1.0/24"), [("subnet-1", other)])
    assert caught.value.reason == "CIDR_OVERLAP"
    assert "subnet-1" in caught.value.message


def test_neighbours_do_not_overlap() -> None:
    others = [("below", "10.0.0.0/24"), ("above", "10.0.2.0/24")]
    check_no_overlap(parse_cidr("10.0.1.0/24"), others)


@st.composite
def networks(draw: st.DrawFn) -> IPv4Network:
    prefix = draw(st.integers(22, 29))
    number = draw(st.integers(int(IPv4Address("10.0.0.0")), int(IPv4Address("10.255.255.255"))))
    return IPv4Network((number, prefix), strict=False)


@given(networks(), st.data())
def test_all_hosts_but_the_gateway_can_be_given_out(
    network: IPv4Network, data: st.DataObject
) -> None:
    hosts = [int(address) for address in network.hosts()]
    gateway = data.draw(st.sampled_from(hosts))
    ranges = free_ranges(parse_cidr(str(network)), gateway)
    given_out = [n for r in ranges for n in range(r.first, r.last + 1)]
    assert given_out == [host for host in hosts if host != gateway]


@given(networks(), networks())
def test_overlap_is_the_same_as_in_the_standard_library(a: IPv4Network, b: IPv4Network) -> None:
    assert parse_cidr(str(a)).overlaps(parse_cidr(str(b))) == a.overlaps(b)


@given(st.integers(0, 2**32 - 1))
def test_numbers_and_texts_are_the_same_addresses(number: int) -> None:
    assert to_number(to_text(number), "ip_address") == number


@given(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40)).map(sorted))
def test_taking_an_address_leaves_all_others(numbers: list[int]) -> None:
    first, number, last = numbers
    left = take(Range(first, last), number)
    assert [n for r in left for n in range(r.first, r.last + 1)] == [
        n for n in range(first, last + 1) if n != number
    ]
