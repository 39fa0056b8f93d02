"""Cinder: snapshots, volumes in use, quotas."""

from recorder import UNKNOWN_ID, Recorder, is_, poll


def probe_cinder(r: Recorder) -> None:
    _snapshot(r)
    _in_use(r)
    _quotas(r)


def _snapshot(r: Recorder) -> None:
    storage = r.a.block_storage
    volume = r.new_volume(r.a)
    snapshot = storage.create_snapshot(volume_id=volume, name="s")
    poll(lambda: storage.get_snapshot(snapshot.id).status, is_("available"))
    action = f"/volumes/{volume}/action"
    r.call("cinder-unmanage-with-snapshot", storage, "POST", action, {"os-unmanage": {}})
    r.note("volume with snapshot after unmanage attempt", r.volume(r.a, volume))
    r.call("cinder-delete-with-snapshot", storage, "DELETE", f"/volumes/{volume}")
    storage.delete_snapshot(snapshot.id)
    poll(lambda: storage.get_snapshot(snapshot.id).status, is_("GONE"))
    unknown = "/volumes/0000/action"
    r.call("cinder-unmanage-unknown", storage, "POST", unknown, {"os-unmanage": {}})
    r.call("cinder-get-unknown", storage, "GET", f"/volumes/{UNKNOWN_ID}")
    wrong_type = {"volume": {"size": 1, "volume_type": "nope"}}
    r.call("cinder-create-bad-type", storage, "POST", "/volumes", wrong_type)
    r.drop(r.a, volume)


def _in_use(r: Recorder) -> None:
    storage = r.a.block_storage
    network, _ = r.network()
    port = r.a.network.create_port(network_id=network).id
    volume = r.new_volume(r.a, bootable=True)
    server = r.boot(port, volume)
    path, action = f"/volumes/{volume}", f"/volumes/{volume}/action"
    r.call("cinder-unmanage-in-use", storage, "POST", action, {"os-unmanage": {}})
    r.call("cinder-delete-in-use", storage, "DELETE", path)
    r.call("cinder-force-delete-in-use", storage, "POST", action, {"os-force_delete": {}})
    r.call("cinder-detach-behind-nova", storage, "POST", action, {"os-detach": {}})
    query = f"/attachments?volume_id={volume}"
    attachments = storage.get(query, microversion="3.27").json()["attachments"]
    r.note("attachment list", attachments)
    attachment = f"/attachments/{attachments[0]['id']}"
    r.call("cinder-delete-attachment-behind-nova", storage, "DELETE", attachment, version="3.27")
    grow = {"os-extend": {"new_size": 2}}
    r.call("cinder-extend-in-use-3.0", storage, "POST", action, grow, version="3.0")
    r.note("server deleted", r.delete_server(server))
    r.drop(r.a, volume)
    r.a.network.delete_port(port)
    r.a.network.delete_network(network)


def _quotas(r: Recorder) -> None:
    storage, member = r.a.block_storage, r.demo.block_storage
    quota = f"/os-quota-sets/{r.demo.current_project_id}"
    storage.put(quota, json={"quota_set": {"volumes": 0}})
    r.call("cinder-quota-volumes", member, "POST", "/volumes", {"volume": {"size": 1}})
    storage.put(quota, json={"quota_set": {"volumes": 10, "gigabytes": 1}})
    r.call("cinder-quota-gigabytes", member, "POST", "/volumes", {"volume": {"size": 2}})
    storage.put(quota, json={"quota_set": {"gigabytes": 1000}})
    big = storage.post("/volumes", json={"volume": {"size": 100000, "name": "big"}})
    r.note("volume larger than any quota/pool", [big.status_code, big.json()])
