"""Glance: images with their bytes. Errors are HTML, as from the real one."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from urllib.parse import urlencode

from cycloud.simulator.calls import Answer, Call, Json, Routes, html_error, stamp
from cycloud.simulator.cloud import new_id
from cycloud.simulator.models.image import Image
from cycloud.simulator.storage import CHUNK, SparseObject

routes = Routes()

VERSIONS = ("v2.17", "v2.16", "v2.15", "v2.13", "v2.12", "v2.11", "v2.10", "v2.9", "v2.8", "v2.7")
SETTABLE = {
    "name",
    "disk_format",
    "container_format",
    "visibility",
    "min_disk",
    "min_ram",
    "protected",
    "tags",
}
READ_ONLY = {f.name for f in fields(Image)} - SETTABLE - {"id", "hidden"}


@routes("GET", "/")
def versions(call: Call) -> Answer:
    """300 with all versions."""
    links = [{"rel": "self", "href": f"{call.base}/image/v2/"}]
    listed = [
        {"id": v, "status": "CURRENT" if v == VERSIONS[0] else "SUPPORTED", "links": links}
        for v in VERSIONS
    ]
    return Answer(300, {"versions": listed})


def _view(image: Image) -> Json:
    return {
        **image.properties,
        "name": image.name,
        "disk_format": image.disk_format,
        "container_format": image.container_format,
        "visibility": image.visibility,
        "size": image.size,
        "virtual_size": image.size,
        "status": image.status,
        "checksum": image.checksum,
        "protected": image.protected,
        "min_ram": image.min_ram,
        "min_disk": image.min_disk,
        "owner": image.owner,
        "os_hidden": image.hidden,
        "os_hash_algo": "sha512" if image.hash_value else None,
        "os_hash_value": image.hash_value,
        "id": image.id,
        "created_at": stamp(image.created),
        "updated_at": stamp(image.updated),
        "tags": list(image.tags),
        "self": f"/v2/images/{image.id}",
        "file": f"/v2/images/{image.id}/file",
        "schema": "/v2/schemas/image",
    }


def _find(call: Call) -> Image:
    image = call.cloud.images.get(call.params["id"])
    if image is None or not (image.visibility == "public" or call.sees(image.owner)):
        raise html_error(404, "Not Found", f"No image found with ID {call.params['id']}")
    return image


@routes("GET", "/v2/images")
def images(call: Call) -> Answer:
    """Images by name, status, id, tag, owner, visibility; newest first."""
    found = [
        i
        for i in reversed(call.cloud.images.values())
        if (i.visibility == "public" or call.sees(i.owner))
        and all(_matches(i, key, value) for key, value in call.query)
    ]
    marker = call.arg("marker")
    if marker:
        places = [n for n, i in enumerate(found) if i.id == marker]
        if not places:
            raise html_error(404, "Not Found", f"No image found with ID {marker}")
        found = found[places[0] + 1 :]
    limit = min(int(call.arg("limit") or 25), 1000)
    page = found[:limit]
    rest = [(k, v) for k, v in call.query if k != "marker"]
    query = f"?{urlencode(rest)}" if rest else ""
    body: Json = {
        "images": [_view(i) for i in page],
        "first": f"/v2/images{query}",
        "schema": "/v2/schemas/images",
    }
    if len(found) > limit:
        body["next"] = f"/v2/images?{urlencode([*rest, ('marker', page[-1].id)])}"
    return Answer(200, body)


def _matches(image: Image, key: str, value: str) -> bool:
    if key in ("limit", "marker", "sort", "sort_key", "sort_dir", "member_status"):
        return True
    if key == "tag":
        return value in image.tags
    if key == "os_hidden":
        return image.hidden == (value.lower() == "true")
    shown = _view(image).get(key)
    values = value.removeprefix("in:").split(",") if value.startswith("in:") else [value]
    return shown is not None and str(shown) in values


@routes("POST", "/v2/images")
def create(call: Call) -> Answer:
    """A queued image."""
    body = call.data()
    now = call.site.now()
    ident = str(body.pop("id", "") or new_id())
    if ident in call.cloud.images:
        raise html_error(409, "Conflict", f"Image ID {ident} already exists!")
    image = Image(ident, str(body.pop("name", "") or ""), call.project_id, now, now)
    for key, value in body.items():
        _set(image, key, value)
    call.cloud.images[image.id] = image
    location = f"{call.base}/image/v2/images/{image.id}"
    return Answer(201, _view(image), {"Location": location})


def _set(image: Image, key: str, value: object) -> None:
    if key in SETTABLE:
        setattr(image, key, value)
    elif key == "os_hidden":
        image.hidden = bool(value)
    elif key in READ_ONLY:
        raise html_error(403, "Forbidden", f"Attribute &#x27;{key}&#x27; is read-only.")
    else:
        image.properties[key] = str(value)


@routes("GET", "/v2/images/{id}")
def show(call: Call) -> Answer:
    """One image."""
    return Answer(200, _view(_find(call)))


@routes("PATCH", "/v2/images/{id}")
def update(call: Call) -> Answer:
    """JSON patch of single attributes."""
    image = _find(call)
    for change in call.patch():
        key = str(change["path"]).strip("/")
        if change["op"] == "remove":
            image.properties.pop(key, None)
        else:
            _set(image, key, change["value"])
    image.updated = call.site.now()
    return Answer(200, _view(image))


@routes("PUT", "/v2/images/{id}/file")
def upload(call: Call) -> Answer:
    """Store the bytes; a second upload is refused (409), raw bytes as qcow2 too (415)."""
    image = _find(call)
    if image.status != "queued":
        text = f"Image status transition from {image.status} to saving is not allowed"
        raise html_error(409, "Conflict", text)
    if not image.disk_format or not image.container_format:
        text = "Properties disk_format, container_format must be set prior to saving data."
        raise html_error(400, "Bad Request", text)
    if image.disk_format == "qcow2" and not call.body.startswith(b"QFI\xfb"):
        text = (
            "The request media type application/octet-stream is not supported by this server."
            "\n<br /><br />\nImage disk_format qcow2 does not match stream data raw"
        )
        raise html_error(415, "Unsupported Media Type", text)
    item = SparseObject(len(call.body), "glance")
    item.write(0, call.body)
    call.site.image_data.put(image.id, item)
    image.size = len(call.body)
    image.checksum = hashlib.md5(call.body, usedforsecurity=False).hexdigest()
    image.hash_value = hashlib.sha512(call.body).hexdigest()
    image.status = "active"
    image.updated = call.site.now()
    return Answer(204)


@routes("GET", "/v2/images/{id}/file")
def download(call: Call) -> Answer:
    """The bytes; 204 for an image without."""
    image = _find(call)
    if image.status != "active":
        return Answer(204)
    item = call.site.image_data.get(image.id)
    data = b"".join(item.read(at, CHUNK) for at in range(0, item.size, CHUNK))
    return Answer(200, data, {"Content-MD5": image.checksum or ""})


@routes("DELETE", "/v2/images/{id}")
def delete(call: Call) -> Answer:
    """Remove an image (403 if protected)."""
    if call.params["id"] not in call.cloud.images:
        raise html_error(404, "Not Found", f"Failed to find image {call.params['id']} to delete")
    image = _find(call)
    if image.protected:
        text = f"Image {image.id} is protected and cannot be deleted."
        raise html_error(403, "Forbidden", text)
    del call.cloud.images[image.id]
    if call.site.image_data.exists(image.id):
        call.site.image_data.delete(image.id)
    return Answer(204)


@routes("PUT", "/v2/images/{id}/tags/{tag}")
def add_tag(call: Call) -> Answer:
    """Add a tag."""
    image = _find(call)
    if call.params["tag"] not in image.tags:
        image.tags.append(call.params["tag"])
    return Answer(204)


@routes("POST", "/v2/images/{id}/{action}")
def action(call: Call) -> Answer:
    """actions/deactivate and import are not simulated; deactivate by state instead."""
    _find(call)
    text = f"{call.params['action']} is not simulated; upload the bytes instead."
    raise html_error(400, "Bad Request", text)


@routes("GET", "/v2/schemas/image")
def schema(call: Call) -> Answer:
    """The names of attributes."""
    names = [*SETTABLE, "id", "status", "size", "checksum", "owner"]
    return Answer(200, {"name": "image", "properties": {n: {} for n in names}})
