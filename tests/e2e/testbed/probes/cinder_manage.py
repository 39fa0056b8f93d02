"""Cinder: managing an image of the shared pool, in all the ways that go wrong."""

from typing import Any

from recorder import Recorder, images, is_, osbed, rbd

SEEN = (
    "status",
    "size",
    "bootable",
    "volume_type",
    "os-vol-host-attr:host",
    "service_uuid",
    "shared_targets",
    "availability_zone",
)


def probe_manage(r: Recorder) -> None:
    volume = r.new_volume(r.a)
    _wrong_requests(r, volume)
    _image_of_a_running_guest(r)
    _sizes(r)
    _over_quota(r)
    _there_and_again(r, volume)


def _manage(r: Recorder, name: str, cloud: Any, image: str, **fields: Any) -> str | None:
    """Manage an image; return the new volume's id where the API said 202."""
    body = {
        "host": r.hosts()[1],
        "ref": {"source-name": image},
        "volume_type": "shared",
        "name": f"m-{r.tag}",
        **fields,
    }
    volume = {key: value for key, value in body.items() if value is not None}
    storage = cloud.block_storage
    answer = r.call(name, storage, "POST", "/manageable_volumes", {"volume": volume}, version="3.8")
    if answer.status_code != 202:
        return None
    new = str(answer.json()["volume"]["id"])
    r.volume(cloud, new)
    full = storage.get(f"/volumes/{new}", microversion="3.69").json().get("volume", {})
    r.note(f"{name} -> volume", {key: full.get(key) for key in SEEN})
    return new


def _wrong_requests(r: Recorder, volume: str) -> None:
    image, pool = f"volume-{volume}", r.hosts()[1]
    storage = r.b.block_storage
    other = f"other-{r.tag}"
    specs = {"volume_backend_name": "elsewhere"}
    # it stays: "cinder-manage quota sync" fails once a type with usage is deleted
    storage.post("/types", json={"volume_type": {"name": other, "extra_specs": specs}})
    cases: dict[str, dict[str, Any]] = {
        "missing-image": {"ref": {"source-name": "no-such-image"}},
        "by-source-id": {"ref": {"source-id": "x"}},
        "empty-ref": {"ref": {}},
        "unknown-host": {"host": "cinder-zz@shared#shared"},
        "host-without-pool": {
            "host": pool.partition("#")[0],
            "ref": {"source-name": "no-such-image-2"},
        },
        "unknown-type": {"volume_type": "nope"},
        "no-host": {"host": None},
        "type-of-other-backend": {"volume_type": other},
    }
    bad = [_manage(r, f"cinder-manage-{k}", r.b, image, **v) for k, v in cases.items()]
    old = {"volume": {"host": pool, "ref": {"source-name": "no-such-image-3"}}}
    answer = r.call("cinder-manage-old-path", storage, "POST", "/os-volume-manage", old)
    bad.append(answer.json()["volume"]["id"] if answer.status_code == 202 else None)
    query = f"host={pool}".replace("#", "%23")
    for name, path, version in (
        ("cinder-manageable-needs-3.8", f"/manageable_volumes?{query}", "3.0"),
        ("cinder-manageable-list", f"/manageable_volumes/detail?{query}", "3.8"),
    ):
        r.call(name, storage, "GET", path, version=version)
    for new in filter(None, bad):
        name = f"cinder-delete-error_managing-{new[:4]}"
        answer = r.call(name, storage, "DELETE", f"/volumes/{new}")
        r.note("DELETE of an error_managing volume", [answer.status_code, r.volume(r.b, new)])


def _image_of_a_running_guest(r: Recorder) -> None:
    """The hazard: two clouds, one pool, no knowledge of each other."""
    network, _ = r.network()
    port = r.a.network.create_port(network_id=network).id
    volume = r.new_volume(r.a, bootable=True)
    server = r.boot(port, volume)
    name = "cinder-manage-other-clouds-in-use-volume"
    taken = _manage(r, name, r.b, f"volume-{volume}")
    concerned = [i for i in images() if volume in i or (taken and taken in i)]
    r.note("pool after B took A's in-use image", concerned)
    r.note("A still says of its volume", r.a.block_storage.get_volume(volume).status)
    if taken:
        action = f"/volumes/{taken}/action"
        r.call("cinder-give-back", r.b.block_storage, "POST", action, {"os-unmanage": {}})
        gone = r.volume(r.b, taken, is_("GONE"))
        r.note("after unmanage in B", [gone, [i for i in images() if taken in i]])
        rbd("rename", f"volumes/volume-{taken}", f"volumes/volume-{volume}")
    r.note("server deleted", r.delete_server(server))
    again = _manage(
        r,
        "cinder-manage-already-managed-same-cloud",
        r.a,
        f"volume-{volume}",
        host=r.hosts()[0],
    )
    r.note("same cloud, twice: original", r.a.block_storage.get_volume(volume).status)
    if again:
        r.a.block_storage.post(f"/volumes/{again}/action", json={"os-unmanage": {}})
        r.volume(r.a, again, is_("GONE"))
    r.drop(r.a, volume)
    r.a.network.delete_port(port)
    r.a.network.delete_network(network)


def _sizes(r: Recorder) -> None:
    """An image whose size is no whole GiB."""
    image = f"odd-{r.tag}"
    rbd("create", f"volumes/{image}", "--size", "1500M")
    name = "cinder-manage-1500MiB"
    odd = _manage(r, name, r.b, image, metadata={"k": "v"}, bootable=True)
    r.note("odd size in backend", osbed("rbd", "info", f"volume-{odd}"))
    r.drop(r.b, odd)


def _over_quota(r: Recorder) -> None:
    storage = r.b.block_storage
    quota = f"/os-quota-sets/{r.b.current_project_id}"
    volume = r.new_volume(r.a)
    r.a.block_storage.unmanage_volume(volume)
    r.volume(r.a, volume, is_("GONE"))
    usage = storage.get(f"{quota}?usage=True").json()["quota_set"]["volumes"]
    before = usage["limit"]
    # cinder refuses a limit below the usage, and failed manages leak into it (EDGES.md 40, 41)
    storage.put(quota, json={"quota_set": {"volumes": usage["in_use"]}})
    try:
        new = _manage(r, "cinder-manage-over-quota", r.b, f"volume-{volume}")
        concerned = [i for i in images() if volume in i or (new and new in i)]
        r.note("image after refused manage", concerned)
    finally:
        storage.put(quota, json={"quota_set": {"volumes": before}})
    r.drop(r.b, new)
    r.drop(r.b, _manage(r, "cinder-manage-after-quota-raised", r.b, f"volume-{volume}"))


def _there_and_again(r: Recorder, volume: str) -> None:
    storage, action = r.a.block_storage, f"/volumes/{volume}/action"
    r.call("cinder-unmanage", storage, "POST", action, {"os-unmanage": {}})
    r.call("cinder-unmanage-twice-at-once", storage, "POST", action, {"os-unmanage": {}})
    r.note("unmanage end", r.volume(r.a, volume, is_("GONE")))
    managed = _manage(r, "cinder-manage-ok", r.b, f"volume-{volume}")
    again = _manage(r, "cinder-manage-same-ref-again", r.b, f"volume-{volume}")
    r.drop(r.b, managed, again)
