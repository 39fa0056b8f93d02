"""Neutron: addresses, networks in use, bindings, quotas."""

from typing import Any

from recorder import UNKNOWN_ID, Recorder


def probe_neutron(r: Recorder) -> None:
    api = r.a.network
    network, subnet = r.network()
    fixed = [{"subnet_id": subnet, "ip_address": "10.66.0.5"}]
    port = api.create_port(network_id=network, fixed_ips=fixed)
    _addresses(r, network, subnet, port.mac_address)
    r.call("neutron-network-in-use", api, "DELETE", f"/networks/{network}")
    r.call("neutron-subnet-in-use", api, "DELETE", f"/subnets/{subnet}")
    overlap = {"subnet": {"network_id": network, "ip_version": 4, "cidr": "10.66.0.0/16"}}
    r.call("neutron-subnet-overlap", api, "POST", "/subnets", overlap)
    r.call("neutron-port-get", api, "GET", f"/ports/{port.id}")
    answer = _port(r, "bind-refused", network, **{"binding:host_id": "nobind-1"})
    if answer.status_code == 201:
        made = answer.json()["port"]
        r.note("vif_type where no driver binds", made["binding:vif_type"])
        api.delete_port(made["id"])
    stale = {"If-Match": "revision_number=99"}
    change = {"port": {"name": "x"}}
    path = f"/ports/{port.id}"
    r.call("neutron-stale-revision", api, "PUT", path, change, headers=stale)
    quota = f"/quotas/{r.demo.current_project_id}"
    api.put(quota, json={"quota": {"port": 0, "network": 0}})
    name = {"network": {"name": "x"}}
    r.call("neutron-quota-network", r.demo.network, "POST", "/networks", name)
    api.delete(quota)
    body = {"port": {"network_id": network}}
    r.call("neutron-demo-mac-and-ip-on-own-network", r.demo.network, "POST", "/ports", body)
    api.delete_port(port.id)
    r.call("neutron-delete-again", api, "DELETE", path)
    api.delete_network(network)


def _port(r: Recorder, name: str, network: str, **fields: Any) -> Any:
    body = {"port": {"network_id": network, **fields}}
    return r.call(f"neutron-{name}", r.a.network, "POST", "/ports", body)


def _addresses(r: Recorder, network: str, subnet: str, mac: str) -> None:
    def address(ip: str) -> list[dict[str, str]]:
        return [{"subnet_id": subnet, "ip_address": ip}]

    _port(r, "ip-in-use", network, fixed_ips=address("10.66.0.5"))
    _port(r, "ip-outside-subnet", network, fixed_ips=address("10.77.0.5"))
    answer = _port(r, "ip-of-gateway", network, fixed_ips=address("10.66.0.1"))
    if answer.status_code == 201:
        r.a.network.delete_port(answer.json()["port"]["id"])
    _port(r, "mac-in-use", network, mac_address=mac)
    _port(r, "mac-bad", network, mac_address="zz")
    _port(r, "unknown-network", UNKNOWN_ID)
