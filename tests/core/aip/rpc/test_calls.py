from ipaddress import ip_network

import pytest
from django.conf import LazySettings

from cycloud.core.aip.rpc.calls import address_of


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:40312", "192.0.2.7"),
        ("ipv6:[2001:db8::1]:40312", "2001:db8::1"),
        ("ipv6:%5B2001:db8::1%5D:40312", "2001:db8::1"),
        ("ipv6:%5Bfe80::1%25eth0%5D:40312", "fe80::1"),
        ("unix:/run/cycloud.sock", ""),
        ("", ""),
    ],
)
def test_the_callers_address_is_read_from_the_peer(peer: str, address: str) -> None:
    assert address_of(peer) == address


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("ipv4:10.0.0.5:1", "203.0.113.9", "203.0.113.9"),
        # what the caller itself wrote comes first, and is not believed
        ("ipv4:10.0.0.5:1", "192.0.2.66, 203.0.113.9", "203.0.113.9"),
        ("ipv4:10.0.0.5:1", "nonsense", "10.0.0.5"),
        ("ipv4:10.0.0.5:1", "", "10.0.0.5"),
        ("ipv4:192.0.2.7:1", "203.0.113.9", "192.0.2.7"),
        ("unix:/run/cycloud.sock", "203.0.113.9", ""),
    ],
)
def test_only_a_proxy_is_believed_whom_it_speaks_for(
    settings: LazySettings, peer: str, forwarded: str, address: str
) -> None:
    settings.CYCLOUD_GRPC_PROXIES = [ip_network("10.0.0.0/8")]
    assert address_of(peer, forwarded) == address
