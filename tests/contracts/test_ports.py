"""What ports, networks and subnets do."""

import pytest

from cycloud.openstack.connection import NEUTRON
from cycloud.openstack.faults import FaultKind
from tests.contracts.bench import Bench
from tests.contracts.faults import UNKNOWN_ID, kind_of, refused


def test_a_port_has_the_chosen_address_and_is_found_by_its_uid(bench: Bench) -> None:
    uid, client = bench.uid(), bench.client

    port_id = bench.port(uid=uid, ip="10.77.0.50", mac="fa:16:3e:77:00:50")

    network, _ = bench.subnet()
    (found,) = client.find_ports(uid)
    assert found == client.get_port(port_id)
    assert (found.id, found.uid, found.network_id) == (port_id, uid, network)
    assert (found.ip_address, found.mac_address) == ("10.77.0.50", "fa:16:3e:77:00:50")
    assert (found.device_id, found.status, found.vif_type) == ("", "DOWN", "unbound")
    assert port_id in [p.id for p in client.list_ports()]
    assert client.find_ports(bench.uid()) == ()

    assert client.delete_port(port_id) is True
    assert client.delete_port(port_id) is False
    assert client.get_port(port_id) is None
    assert client.find_ports(uid) == ()


def test_an_address_is_used_once(bench: Bench) -> None:
    uid = bench.uid()
    bench.port(ip="10.77.0.60", mac="fa:16:3e:77:00:60")

    same_ip = refused(lambda: bench.port(uid=uid, ip="10.77.0.60", mac="fa:16:3e:77:00:61"))
    same_mac = refused(lambda: bench.port(uid=uid, ip="10.77.0.61", mac="fa:16:3e:77:00:60"))

    assert (same_ip.kind, same_mac.kind) == (FaultKind.CONFLICT, FaultKind.CONFLICT)
    assert "10.77.0.60" in same_ip.text
    assert bench.client.find_ports(uid) == ()


@pytest.mark.parametrize(("ip", "mac"), [("10.99.0.5", "fa:16:3e:77:00:62"), ("10.77.0.62", "zz")])
def test_a_wrong_address_is_refused_for_good(bench: Bench, ip: str, mac: str) -> None:
    uid = bench.uid()

    assert kind_of(lambda: bench.port(uid=uid, ip=ip, mac=mac)) is FaultKind.INVALID
    assert bench.client.find_ports(uid) == ()


def test_a_port_needs_a_network_that_is_there(bench: Bench) -> None:
    _, subnet = bench.subnet()

    kind = kind_of(
        lambda: bench.client.create_port(
            uid=bench.uid(),
            network_id=UNKNOWN_ID,
            subnet_id=subnet,
            ip_address="10.77.0.9",
            mac_address="fa:16:3e:77:00:63",
        )
    )

    assert kind is FaultKind.NOT_FOUND


def test_over_quota_no_port_is_made(bench: Bench) -> None:
    uid = bench.uid()
    bench.subnet()

    with bench.target.no_more(bench.cloud, NEUTRON, "port"):
        fault = refused(lambda: bench.port(uid=uid))

    assert (fault.kind, fault.status) == (FaultKind.QUOTA_EXCEEDED, 409)
    assert bench.client.find_ports(uid) == ()


def test_networks_and_subnets_are_found_by_uid_and_kept_while_in_use(bench: Bench) -> None:
    network_id, subnet_id = bench.subnet()
    uid, client = bench.uids[0], bench.client
    port_id = bench.port()

    (network,) = client.find_networks(uid)
    (subnet,) = client.find_subnets(uid)
    assert network.id == network_id
    assert (subnet.id, subnet.network_id, subnet.cidr) == (subnet_id, network_id, "10.77.0.0/24")
    assert kind_of(lambda: client.delete_network(network_id)) is FaultKind.CONFLICT
    assert kind_of(lambda: client.delete_subnet(subnet_id)) is FaultKind.CONFLICT

    client.delete_port(port_id)
    assert client.delete_subnet(subnet_id) is True
    assert client.delete_network(network_id) is True
    assert (client.delete_subnet(subnet_id), client.delete_network(network_id)) == (False, False)
    assert (client.find_networks(uid), client.find_subnets(uid)) == ((), ())


def test_a_port_may_be_deleted_under_a_running_server(bench: Bench) -> None:
    server, client = bench.server(), bench.client
    (port,) = client.ports_of_server(server.id)

    assert client.delete_port(port.id) is True

    assert client.ports_of_server(server.id) == ()
    assert bench.server_when(server.id, "ACTIVE")
