"""Nova: failures of the hypervisor on request, no valid host, quotas, deletes in between."""

import time

from recorder import Recorder, is_, poll


def probe_failures(r: Recorder) -> None:
    network, _ = r.network()
    ports = [r.a.network.create_port(network_id=network).id for _ in range(2)]
    root, other = r.new_volume(r.a, bootable=True), r.new_volume(r.a)
    _failing_spawn(r, ports[0], root)
    _failing_stop(r, ports[0], root)
    _failing_delete(r, ports[0], root)
    _failing_attach(r, ports[0], root, other)
    _no_valid_host(r, ports[1], root)
    _quota(r)
    _delete_while_building(r, ports[1], root)
    for port in ports:
        r.a.network.delete_port(port, ignore_missing=True)
    r.a.network.delete_network(network)
    r.drop(r.a, root, other)


def _port_owner(r: Recorder, port: str) -> str:
    return str(r.a.network.get_port(port).device_id)


def _failing_spawn(r: Recorder, port: str, root: str) -> None:
    server = r.boot(port, root, metadata={"osbed_fail": "spawn"})
    r.call("nova-spawn-failed", r.a.compute, "GET", f"/servers/{server}", version="2.96")
    r.note("spawn failed: volume, port", [r.volume(r.a, root), _port_owner(r, port)])
    r.note("delete of ERROR server", [r.delete_server(server), r.volume(r.a, root)])


def _failing_stop(r: Recorder, port: str, root: str) -> None:
    compute = r.a.compute
    server = r.boot(port, root, metadata={"osbed_fail": "power_off"})
    path = f"/servers/{server}"
    r.call("nova-stop-that-fails", compute, "POST", f"{path}/action", {"os-stop": None})
    poll(lambda: compute.get_server(server).task_state, lambda state: state is None, 30)
    r.call("nova-after-failed-stop", compute, "GET", path, version="2.96")
    actions = f"{path}/os-instance-actions"
    r.call("nova-instance-actions", compute, "GET", actions, version="2.96")
    r.note("deleted", r.delete_server(server))


def _failing_delete(r: Recorder, port: str, root: str) -> None:
    compute = r.a.compute
    server = r.boot(port, root, metadata={"osbed_fail": "destroy:1"})
    compute.delete_server(server)
    r.note("destroy fails", r.server(server, is_("GONE", "ERROR"), 20))
    r.call("nova-after-failed-delete", compute, "GET", f"/servers/{server}", version="2.96")
    poll(lambda: compute.get_server(server).task_state, lambda state: state is None, 30)
    metadata = f"/servers/{server}/metadata/osbed_fail"
    r.call("nova-metadata-of-error-server", compute, "DELETE", metadata)
    r.note("second delete", [r.delete_server(server), r.volume(r.a, root)])


def _failing_attach(r: Recorder, port: str, root: str, other: str) -> None:
    compute = r.a.compute
    server = r.boot(port, root, metadata={"osbed_fail": "attach"})
    attachments = f"/servers/{server}/os-volume_attachments"
    body = {"volumeAttachment": {"volumeId": other}}
    r.call("nova-attach-that-fails", compute, "POST", attachments, body)
    time.sleep(4)  # nothing shows when the attempt is over
    r.note("volume after failed attach", r.volume(r.a, other))
    name = "nova-attachments-after-failed-attach"
    r.call(name, compute, "GET", attachments, version="2.89")
    r.a.network.delete_port(port)
    addresses = poll(lambda: compute.get_server(server).addresses, lambda seen: not seen, 15)
    r.note("port of a running server deleted; server addresses", addresses)
    r.delete_server(server)


def _no_valid_host(r: Recorder, port: str, root: str) -> None:
    compute = r.a.compute
    flavor = compute.create_flavor(name=f"huge-{r.tag}", vcpus=5000, ram=1024, disk=0)
    body = r.server_body(port, root, flavorRef=flavor.id)
    r.call("nova-over-core-quota", compute, "POST", "/servers", body, version="2.96")
    quota = f"/os-quota-sets/{r.a.current_project_id}"
    before = compute.get(quota).json()["quota_set"]
    compute.put(quota, json={"quota_set": {"cores": -1, "ram": -1}})
    try:
        answer = r.call("nova-huge", compute, "POST", "/servers", body, version="2.96")
    finally:
        limits = {name: before[name] for name in ("cores", "ram")}
        compute.put(quota, json={"quota_set": limits})
    if answer.status_code == 202:
        server = answer.json()["server"]["id"]
        r.note("no valid host", r.server(server, is_("ERROR")))
        r.call("nova-no-valid-host", compute, "GET", f"/servers/{server}", version="2.96")
        state = [r.volume(r.a, root, timeout=5), _port_owner(r, port)]
        r.note("no valid host: volume, port", state)
        r.delete_server(server)
        after = [r.volume(r.a, root, is_("available")), _port_owner(r, port)]
        r.note("after delete: volume, port", after)
    compute.delete_flavor(flavor.id)


def _quota(r: Recorder) -> None:
    quota = f"/os-quota-sets/{r.demo.current_project_id}"
    r.a.compute.put(quota, json={"quota_set": {"instances": 0}})
    image = next((image.id for image in r.a.image.images()), "")
    flavor = r.a.compute.find_flavor("bfv.small").id
    server = {"name": "x", "flavorRef": flavor, "networks": "none", "imageRef": image}
    r.call(
        "nova-quota-instances",
        r.demo.compute,
        "POST",
        "/servers",
        {"server": server},
        version="2.96",
    )
    r.a.compute.put(quota, json={"quota_set": {"instances": 10}})


def _delete_while_building(r: Recorder, port: str, root: str) -> None:
    compute = r.a.compute
    body = r.server_body(port, root, metadata={"osbed_slow": "5"})
    answer = compute.post("/servers", json=body, microversion="2.96")
    server = answer.json()["server"]["id"]
    poll(lambda: compute.get_server(server).task_state, is_("spawning"), 20)
    begin = time.time()
    r.call("nova-delete-while-building", compute, "DELETE", f"/servers/{server}")
    gone, seconds = r.server(server, is_("GONE")), round(time.time() - begin, 1)
    volume = r.volume(r.a, root, is_("available"), 30)
    owner = _port_owner(r, port)
    r.note("deleted while building: s, volume, port", [gone, seconds, volume, owner])
