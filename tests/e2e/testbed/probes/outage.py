"""What calls do while one of the services is down. Stops and starts services of the first cloud."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import openstack
from recorder import Recorder, is_, osbed


def probe_outage(r: Recorder) -> None:
    network, _ = r.network()
    port = r.a.network.create_port(network_id=network).id
    root, other = r.new_volume(r.a, bootable=True), r.new_volume(r.a)
    server = r.boot(port, root)
    _compute(r, server)
    _cinder_volume(r, other)
    r.a.compute.start_server(server)
    r.server(server, is_("ACTIVE"))
    _cinder_api(r, server, root)
    _left_attachments(r, root)
    _neutron(r, port, root)
    _keystone(r)
    r.a.network.delete_port(port)
    r.a.network.delete_network(network)
    r.drop(r.a, root)


@contextmanager
def _down(r: Recorder, service: str) -> Iterator[None]:
    osbed("stop", r.names[0], service)
    try:
        yield
    finally:
        osbed("start", r.names[0], service)


def _compute(r: Recorder, server: str) -> None:
    compute, path = r.a.compute, f"/servers/{server}"
    with _down(r, "nova-compute"):
        r.call("outage-compute-stop-202", compute, "POST", f"{path}/action", {"os-stop": None})
        time.sleep(3)  # the state must be seen to stay
        r.call("outage-compute-server", compute, "GET", path, version="2.96")
        second = {"os-start": None}
        r.call("outage-compute-second-action", compute, "POST", f"{path}/action", second)
    seen = r.server(server, is_("SHUTOFF"), 60)
    r.note("stop carried out after nova-compute is back", seen)


def _cinder_volume(r: Recorder, volume: str) -> None:
    with _down(r, "cinder-volume"):
        action = f"/volumes/{volume}/action"
        body = {"os-unmanage": {}}
        r.call("outage-cinder-volume-unmanage", r.a.block_storage, "POST", action, body)
        time.sleep(2)  # the state must be seen to stay
        seen = r.volume(r.a, volume, lambda status: True)
        r.note("volume state while cinder-volume is down", seen)
    r.note("and after", r.volume(r.a, volume, is_("GONE"), 60))
    osbed("rbd", "rm", f"volume-{volume}")


def _cinder_api(r: Recorder, server: str, root: str) -> None:
    with _down(r, "cinder-api"):
        begin = time.time()
        path = f"/servers/{server}"
        r.call("outage-cinder-api-delete-server", r.a.compute, "DELETE", path)
        seen = r.server(server, is_("GONE", "ERROR"), 60)
        r.note("delete while cinder-api is down", [seen, round(time.time() - begin, 1)])
    r.note("its volume", r.volume(r.a, root, is_("available"), 10))
    try:
        again = [r.delete_server(server), r.volume(r.a, root, is_("available"), 20)]
        r.note("delete again", again)
    except openstack.exceptions.HttpException as error:
        r.note("delete again", str(error)[:200])


def _left_attachments(r: Recorder, root: str) -> None:
    storage = r.a.block_storage
    query = f"/attachments?volume_id={root}"
    attachments = storage.get(query, microversion="3.27").json()["attachments"]
    r.note("attachments left", attachments)
    for attachment in attachments:
        path = f"/attachments/{attachment['id']}"
        r.call("outage-delete-left-attachment", storage, "DELETE", path, version="3.27")
    r.note("volume at the end", r.volume(r.a, root, is_("available"), 10))
    if storage.get_volume(root).status != "available":
        reset = {"os-reset_status": {"status": "available", "attach_status": "detached"}}
        r.call("outage-reset-status", storage, "POST", f"/volumes/{root}/action", reset)


def _neutron(r: Recorder, port: str, root: str) -> None:
    with _down(r, "neutron-api"):
        body = r.server_body(port, root)
        name = "outage-neutron-create-server"
        answer = r.call(name, r.a.compute, "POST", "/servers", body, version="2.96")
        if answer.status_code == 202:
            made = answer.json()["server"]["id"]
            r.note("server without neutron", r.server(made, is_("ACTIVE", "ERROR"), 90))


def _keystone(r: Recorder) -> None:
    with _down(r, "keystone"):
        url = r.a.compute.get_endpoint() + "/servers"
        answer = r.a.session.session.get(url, headers={"X-Auth-Token": "gAAAA-new-token"})
        seen = [answer.status_code, answer.text[:200]]
        r.note("nova with keystone down, unknown token", seen)
