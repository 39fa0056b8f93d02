"""/_sim: the simulator's own API, for tests in another process.

Writes must be JSON, and the Host a loopback address: a page in a browser can do neither, so that a
web site cannot reach a developer's clouds.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
from collections.abc import Awaitable, Callable
from dataclasses import asdict, fields
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cycloud.simulator.cloud import Cloud
from cycloud.simulator.faults import Fault
from cycloud.simulator.models.block_storage import Volume
from cycloud.simulator.site import Site
from cycloud.simulator.storage import StorageError

SETTABLE = {
    "encrypted",
    "group_id",
    "consistencygroup_id",
    "migration_status",
    "multiattach",
    "status",
    "volume_type",
}

Json = dict[str, Any]
Handler = Callable[[Site, Request, Json], Any]


class _Bad(ValueError):
    pass


def _is_loopback(host: str) -> bool:
    """Whether the Host header is an address of this machine ("127.evil.example" is none)."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _endpoint(site: Site, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        if not _is_loopback(request.url.hostname or ""):
            return JSONResponse({"error": "/_sim answers on loopback addresses only"}, 403)
        body: Any = {}
        if request.method in ("POST", "PATCH"):
            if request.headers.get("content-type", "").partition(";")[0] != "application/json":
                return JSONResponse({"error": "send application/json"}, 415)
            try:
                body = await request.json()
            except ValueError as error:
                return JSONResponse({"error": f"no JSON: {error}"}, 400)
        if not isinstance(body, dict):
            return JSONResponse({"error": "send a JSON object"}, 400)
        with site.lock:
            try:
                site.settle()
                result = handler(site, request, body)
            except (KeyError, StorageError) as error:
                return JSONResponse({"error": str(error)}, 404)
            except (ValueError, TypeError) as error:
                return JSONResponse({"error": str(error)}, 400)
            if request.method != "GET":
                site.dirty = True
        return JSONResponse(result if result is not None else {})

    return endpoint


def _cloud(site: Site, request: Request) -> Cloud:
    name = request.path_params["cloud"]
    if name not in site.clouds:
        raise KeyError(f"no cloud {name!r}; there are {', '.join(site.clouds)}")
    return site.clouds[name]


def _summary(site: Site, request: Request, body: Json) -> Json:
    return {
        "now": site.now(),
        "latency": site.latency,
        "write_count": site.write_count,
        "clouds": {
            name: {
                "release": c.release.name,
                "servers": len(c.servers),
                "volumes": len(c.volumes),
                "ports": len(c.ports),
                "flavors": {f.name: f.id for f in c.flavors.values()},
                "images": {i.name: i.id for i in c.images.values()},
                "volume_types": {t.name: t.id for t in c.volume_types.values()},
                "project_id": c.project_id,
            }
            for name, c in site.clouds.items()
        },
        "pending": [
            {"due": s.due, "cloud": s.cloud, "state": s.state, "args": s.args}
            for s in site.timeline.pending()
        ],
    }


def _add_fault(site: Site, request: Request, body: Json) -> Json:
    known = {f.name for f in fields(Fault)} - {"id", "seen", "hits"}
    if unknown := sorted(set(body) - known):
        raise _Bad(f"unknown keys {unknown}; there are {sorted(known)}")
    if "kind" not in body:
        raise _Bad("the fault has no kind")
    kind = str(body.pop("kind"))
    return asdict(site.faults.add(kind, **body))


def _list_faults(site: Site, request: Request, body: Json) -> Json:
    return {"faults": [asdict(f) for f in site.faults]}


def _delete_faults(site: Site, request: Request, body: Json) -> Json:
    ident = request.query_params.get("id")
    if ident is None:
        site.faults.clear()
    elif not site.faults.remove(int(ident)):
        raise KeyError(f"no fault {ident}")
    return {}


def _guest_events(site: Site, request: Request, body: Json) -> Json:
    return {"events": site.guest_events}


def _requests(site: Site, request: Request, body: Json) -> Json:
    wanted = request.query_params
    listed = [
        r._asdict()
        for r in site.requests
        if wanted.get("cloud") in (None, r.cloud) and wanted.get("service") in (None, r.service)
    ]
    return {"requests": listed, "write_count": site.write_count}


def _clear_requests(site: Site, request: Request, body: Json) -> Json:
    site.requests.clear()
    site.write_count = 0
    return {}


def _storage(site: Site, request: Request, body: Json) -> Json:
    names = site.storage.names(request.query_params.get("backend"))
    return {"objects": [{"name": n, "size": site.storage.size(n)} for n in names]}


def _object(site: Site, request: Request, body: Json) -> Json:
    name = request.path_params["name"]
    return {
        "name": name,
        "size": site.storage.size(name),
        "backend": site.storage.get(name).backend,
        "digest": site.storage.digest(name),
    }


def _object_action(site: Site, request: Request, body: Json) -> Json:
    name, verb = request.path_params["name"], request.path_params["verb"]
    storage = site.storage
    if verb == "create":
        storage.create(name, int(body["size"]), str(body.get("backend", "shared")))
    elif verb == "write":
        storage.write(name, int(body.get("offset", 0)), _bytes(body))
    elif verb == "read":
        data = storage.read(name, int(body.get("offset", 0)), int(body["length"]))
        return {"data": base64.b64encode(data).decode()}
    elif verb == "rename":
        storage.rename(name, str(body["name"]))
        return {"name": body["name"]}
    elif verb == "delete":
        storage.delete(name)
        return {"name": name}
    else:
        raise _Bad(f"unknown verb {verb!r}: create, write, read, rename, delete")
    return _object(site, request, body)


def _bytes(body: Json) -> bytes:
    if "text" in body:
        return str(body["text"]).encode()
    try:
        return base64.b64decode(body["data"], validate=True)
    except binascii.Error as error:
        raise _Bad(f"data is not base64: {error}") from error


def _clock(site: Site, request: Request, body: Json) -> Json:
    if unknown := sorted(set(body) - {"advance", "latency", "token_ttl"}):
        raise _Bad(f"unknown keys {unknown}; there are advance, latency, token_ttl (seconds)")
    site.advance(float(body.get("advance", 0)))
    site.latency = float(body.get("latency", site.latency))
    site.token_ttl = float(body.get("token_ttl", site.token_ttl))
    site.settle()
    return {"now": site.now(), "latency": site.latency, "token_ttl": site.token_ttl}


def _quota(site: Site, request: Request, body: Json) -> Json:
    """{"service": "compute", "cores": 1, ...}; the old limits come back."""
    limits = _cloud(site, request).quotas.of(str(body.pop("service", "")))
    if unknown := sorted(set(body) - set(limits)):
        raise _Bad(f"unknown limits {unknown}; there are {sorted(limits)}")
    old = dict(limits)
    limits.update({k: int(v) for k, v in body.items()})
    return {"before": old, "now": limits}


def _hold(site: Site, request: Request, body: Json) -> Json:
    cloud = _cloud(site, request).name
    if request.method == "DELETE":
        site.release(cloud, request.query_params.get("state"))
        site.settle()
        return {}
    site.hold(cloud, str(body["state"]), object_id=body.get("id"))
    return {"cloud": cloud, "state": body["state"]}


def _volume(site: Site, request: Request, body: Json) -> Json:
    """Change what no API can: encrypted, group_id, migration_status, ..."""
    volumes = _cloud(site, request).volumes
    volume: Volume = volumes[request.path_params["id"]]
    if unknown := sorted(set(body) - SETTABLE):
        raise _Bad(f"unknown keys {unknown}; there are {sorted(SETTABLE)}")
    for key, value in body.items():
        setattr(volume, key, value)
    return {k: getattr(volume, k) for k in SETTABLE}


TABLE: list[tuple[str, str, Handler]] = [
    ("GET", "/", _summary),
    ("GET", "/faults", _list_faults),
    ("POST", "/faults", _add_fault),
    ("DELETE", "/faults", _delete_faults),
    ("GET", "/guest-events", _guest_events),
    ("GET", "/requests", _requests),
    ("DELETE", "/requests", _clear_requests),
    ("GET", "/storage", _storage),
    ("GET", "/storage/{name}", _object),
    ("POST", "/storage/{name}/{verb}", _object_action),
    ("POST", "/clock", _clock),
    ("POST", "/clouds/{cloud}/quota", _quota),
    ("POST", "/clouds/{cloud}/hold", _hold),
    ("DELETE", "/clouds/{cloud}/hold", _hold),
    ("PATCH", "/clouds/{cloud}/volumes/{id}", _volume),
]


def control_routes(site: Site) -> list[Route]:
    """The routes below /_sim."""
    return [Route(path, _endpoint(site, h), methods=[method]) for method, path, h in TABLE]
