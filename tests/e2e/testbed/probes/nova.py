"""Nova: what it refuses, and the life of a server."""

from typing import Any

from recorder import UNKNOWN_ID, Recorder, is_


def probe_nova(r: Recorder) -> None:
    network, _ = r.network()
    ports = [r.a.network.create_port(network_id=network).id for _ in range(2)]
    root, other = r.new_volume(r.a), r.new_volume(r.a)
    _create(r, "not-bootable", ports[0], root)
    for volume in (root, other):
        r.a.block_storage.set_volume_bootable_status(volume, True)
    server = _create(r, "202", ports[0], root).json()["server"]["id"]
    path = f"/servers/{server}"
    r.call("nova-action-while-building", r.a.compute, "POST", f"{path}/action", {"os-stop": None})
    r.note("server", r.server(server, is_("ACTIVE", "ERROR")))
    r.call("nova-server-detail", r.a.compute, "GET", path, version="2.96")
    _refused_creations(r, ports, root, other)
    _attachments(r, path, root, other)
    _actions(r, server, path)
    r.note("root volume after delete", r.volume(r.a, root))
    port = r.a.network.get_port(ports[0])
    keys = ("status", "device_id", "device_owner", "binding_host_id", "binding_vif_type")
    r.note("port after delete", {key: getattr(port, key) for key in keys})
    for item in ports:
        r.a.network.delete_port(item)
    r.a.network.delete_network(network)
    r.drop(r.a, root, other)


def _create(r: Recorder, name: str, port: str, root: str | None, **fields: Any) -> Any:
    name = f"nova-create-{name}" if name in ("not-bootable", "202") else f"nova-{name}"
    body = r.server_body(port, root, **fields)
    return r.call(name, r.a.compute, "POST", "/servers", body, version="2.96")


def _refused_creations(r: Recorder, ports: list[str], root: str, other: str) -> None:
    _create(r, "port-in-use", ports[0], other)
    _create(r, "volume-in-use", ports[1], root)
    _create(r, "unknown-volume", ports[1], UNKNOWN_ID)
    _create(r, "unknown-port", UNKNOWN_ID, other)
    _create(r, "unknown-flavor", ports[1], other, flavorRef="99")
    _create(r, "unknown-key", ports[1], other, key_name="nokey")
    _create(r, "unknown-az", ports[1], other, availability_zone="nowhere")
    _create(r, "unknown-image", ports[1], None, imageRef=UNKNOWN_ID)
    bad = {"server": {"name": "x", "nonsense": 1, "flavorRef": "1", "networks": "auto"}}
    r.call("nova-bad-body", r.a.compute, "POST", "/servers", bad, version="2.96")
    key = {"keypair": {"name": f"k-{r.tag}"}}
    r.call(
        "nova-keypair-needs-public-key", r.a.compute, "POST", "/os-keypairs", key, version="2.92"
    )


def _attachments(r: Recorder, path: str, root: str, other: str) -> None:
    compute, attachments = r.a.compute, f"{path}/os-volume_attachments"
    r.call("nova-start-active", compute, "POST", f"{path}/action", {"os-start": None})

    def attach(name: str, volume: str, version: str | None = None) -> None:
        body = {"volumeAttachment": {"volumeId": volume}}
        r.call(f"nova-{name}", compute, "POST", attachments, body, version=version)

    attach("attach-in-use-volume", root)
    attach("attach-unknown-volume", UNKNOWN_ID)
    attach("attach-ok", other, "2.89")
    attach("attach-twice", other)
    r.note("second volume", r.volume(r.a, other, is_("in-use")))
    r.call("nova-attachments", compute, "GET", attachments, version="2.89")
    r.call("nova-detach-root", compute, "DELETE", f"{attachments}/{root}")
    r.call("nova-detach", compute, "DELETE", f"{attachments}/{other}")
    r.note("second volume after detach", r.volume(r.a, other, is_("available")))
    r.call("nova-detach-again", compute, "DELETE", f"{attachments}/{other}")


def _actions(r: Recorder, server: str, path: str) -> None:
    compute = r.a.compute

    def action(name: str, word: str) -> None:
        r.call(f"nova-{name}", compute, "POST", f"{path}/action", {word: None})

    action("lock", "lock")
    action("stop-locked-as-admin", "os-stop")
    r.note("after stop", r.server(server, is_("SHUTOFF")))
    action("stop-stopped", "os-stop")
    action("unlock", "unlock")
    r.call("nova-delete", compute, "DELETE", path)
    action("action-while-deleting", "os-start")
    r.note("deleted", r.server(server, is_("GONE")))
    r.call("nova-delete-again", compute, "DELETE", path)
    r.call("nova-get-deleted", compute, "GET", path)
