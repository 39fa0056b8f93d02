"""Glance: imports that fail, uploads over what is there, protected images."""

from typing import Any

from recorder import UNKNOWN_ID, Recorder, poll

BYTES = {"Content-Type": "application/octet-stream"}
NOWHERE = "http://127.0.0.1:9/none.raw"


def probe_glance(r: Recorder) -> None:
    api = r.a.image
    image = _create(r)["id"]
    path = f"/images/{image}"

    def take(name: str, method: str, uri: str | None = None) -> None:
        body = {"method": {"name": method, **({"uri": uri} if uri else {})}}
        r.call(f"glance-{name}", api, "POST", f"{path}/import", body)

    take("import-filtered", "web-download", "http://169.254.169.254/x")
    take("import-202", "web-download", NOWHERE)
    poll(lambda: api.get(path).json().get("os_glance_failed_import"), bool, 20)
    r.call("glance-after-failed-import", api, "GET", path)
    r.call("glance-tasks", api, "GET", f"{path}/tasks")
    take("import-unknown-method", "carrier-pigeon")
    api.put(f"{path}/file", data=b"x" * 1024, headers=BYTES)
    again = api.put(f"{path}/file", data=b"x" * 1024, headers=BYTES, raise_exc=False)
    r.note("upload over an active image", [again.status_code, again.text[:200]])
    take("import-active", "web-download", NOWHERE)
    r.call("glance-info-import", api, "GET", "/info/import")
    _protected(r)
    r.call("glance-unknown", api, "GET", f"/images/{UNKNOWN_ID}")
    wrong = f"/images/{_create(r, disk_format='qcow2')['id']}"
    data = b"this is no qcow2" * 100
    answer = api.put(f"{wrong}/file", data=data, headers=BYTES, raise_exc=False)
    status = api.get(wrong).json().get("status")
    r.note("upload of raw bytes as qcow2", [answer.status_code, answer.text[:300], status])
    for made in (path, wrong):
        api.delete(made)


def _create(r: Recorder, **fields: Any) -> Any:
    body = {
        "name": f"edge-{r.tag}",
        "disk_format": "raw",
        "container_format": "bare",
        **fields,
    }
    return r.a.image.post("/images", json=body).json()


def _protected(r: Recorder) -> None:
    path = f"/images/{_create(r, protected=True)['id']}"
    r.call("glance-delete-protected", r.a.image, "DELETE", path)
    patch = [{"op": "replace", "path": "/protected", "value": False}]
    kind = {"Content-Type": "application/openstack-images-v2.1-json-patch"}
    r.a.image.patch(path, json=patch, headers=kind)
    r.a.image.delete(path)
