"""The ASGI application: finds the cloud and the service, applies faults, answers."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from cycloud.simulator import (  # noqa: F401 - each registers its routes or its work
    block_storage,
    compute,
    compute_actions,
    compute_attachments,
    compute_metadata,
    compute_quotas,
    compute_servers,
    guests,
    identity,
    image,
    network,
    network_ports,
    network_subnets,
    placement,
    volume_actions,
    volume_extras,
    volume_manage,
    volume_work,
)
from cycloud.simulator.calls import Answer, Call, Refused, Routes, api_error, html_error
from cycloud.simulator.cloud import Release, Version
from cycloud.simulator.control import control_routes
from cycloud.simulator.faults import EFFECTS, Fault
from cycloud.simulator.network import network_error
from cycloud.simulator.site import LoggedRequest, Site, StateFileError

logger = logging.getLogger(__name__)

ABORT = "cycloud.abort"
"""ASGI extension of our server: closes the connection without an answer."""

SAVE_AFTER = 0.3
"""Seconds from a change to its being saved, so that a burst of changes is saved once."""


@dataclass(frozen=True)
class Service:
    """One OpenStack service: its type, its routes, and how it negotiates and refuses."""

    type: str
    routes: Routes
    public: tuple[str, ...]
    unknown: Callable[[], Refused]
    version_key: str = ""
    first: Version = (0, 0)
    newest: Callable[[Release], Version] = lambda release: (0, 0)


def _html_unknown() -> Refused:
    return html_error(404, "Not Found", "The resource could not be found.")


SERVICES: Mapping[str, Service] = {
    "identity": Service(
        "identity",
        identity.routes,
        ("", "/v3", "/v3/auth/tokens"),
        lambda: identity.identity_error(404, "The resource could not be found."),
    ),
    "compute": Service(
        "compute",
        compute.routes,
        ("", "/v2.1"),
        _html_unknown,
        "compute",
        (2, 1),
        lambda r: r.compute,
    ),
    "volume": Service(
        "block-storage",
        block_storage.routes,
        ("", "/v3"),
        _html_unknown,
        "volume",
        (3, 0),
        lambda r: r.volume,
    ),
    "network": Service(
        "network",
        network.routes,
        ("",),
        lambda: network_error(404, "HTTPNotFound", "The resource could not be found."),
    ),
    "image": Service("image", image.routes, ("",), _html_unknown),
    "placement": Service(
        "placement",
        placement.routes,
        ("",),
        lambda: placement.placement_error(404, "Not Found", "The resource could not be found."),
        "placement",
        (1, 0),
        lambda r: r.placement,
    ),
}
"""By the first part of the path below a cloud's."""


class Simulator:
    """Answers /<cloud>/<service>/..."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._saving: asyncio.TimerHandle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        request = Request(scope, receive)
        parts = scope["path"].split("/", 3)
        cloud = self.site.clouds.get(parts[1])
        service = SERVICES.get(parts[2] if len(parts) > 2 else "")
        if cloud is None or service is None:
            known = ", ".join(f"/{c}/<service>" for c in self.site.clouds)
            response = Response(f"Not found. This simulator serves {known} and /_sim.", 404)
            await response(scope, receive, send)
            return
        path = "/" + parts[3] if len(parts) > 3 and parts[3] else ""
        call = Call(
            self.site,
            cloud,
            service.type,
            request.method,
            path,
            parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True),
            {k.lower(): v for k, v in request.headers.items()},
            await request.body(),
            f"{request.url.scheme}://{request.url.netloc}/{cloud.name}",
        )
        answer = await self._answer(service, call)
        with self.site.lock:
            status = answer.status if answer else 0
            entry = LoggedRequest(cloud.name, service.type, call.method, path, status)
            self.site.requests.append(entry)
        self._save_soon()
        if answer is None:
            await _abort(scope, receive, send)
        else:
            await _response(call, answer)(scope, receive, send)

    async def _answer(self, service: Service, call: Call) -> Answer | None:
        """What goes out; None closes the connection."""
        with self.site.lock:
            call.cloud.requests += 1
            faults = self.site.faults.strike(call.cloud.name, service.type, call.method, call.path)
        if delay := sum(f.seconds for f in faults if f.kind == "slow"):
            await asyncio.sleep(delay)
        for fault in faults:
            if fault.kind in ("refuse", "down"):
                return None
            if fault.kind in ("status", "rate_limit"):
                return _injected(service, fault)
        with self.site.lock:
            answer = self._work(service, call, faults)
        return None if any(f.kind == "lost_answer" for f in faults) else answer

    def _work(self, service: Service, call: Call, faults: list[Fault]) -> Answer:
        """The service's own answer, from the present or (stale) from the past."""
        self.site.settle()
        self.site.remember(call.cloud)
        call.effects = [f for f in faults if f.kind in EFFECTS]
        for fault in faults:
            if fault.kind == "stale":
                call.cloud = self.site.past(call.cloud, fault.seconds, fault.requests)
        if call.method != "GET" and service.type != "identity":
            self.site.write_count += 1
            self.site.dirty = True
        try:
            return _serve(service, call)
        except Refused as refusal:
            return refusal.answer

    def _save_soon(self) -> None:
        if self.site.path is not None and self.site.dirty and self._saving is None:
            self._saving = asyncio.get_running_loop().call_later(SAVE_AFTER, self.save)

    def save(self) -> None:
        """Write the state file if something has changed."""
        self._saving = None
        if self.site.path is None or not self.site.dirty:
            return
        try:
            self.site.save()
        except (OSError, StateFileError) as error:
            logger.error("The simulator's state could not be saved: %s", error)


def _serve(service: Service, call: Call) -> Answer:
    if call.path.rstrip("/") not in service.public:
        call.token = identity.valid_token(call, call.headers.get("x-auth-token"))
        if call.token is None:
            raise identity.unauthorized(call)
    call.version = _version(service, call)
    found = service.routes.find(call.method, call.path or "/")
    if found is None:
        raise service.unknown()
    handler, call.params = found
    try:
        return handler(call)
    except (ValueError, TypeError, KeyError) as error:
        # A body of a shape that no client of ours sends; a traceback would only hide which.
        logger.debug("malformed request %s %s", call.method, call.path, exc_info=True)
        raise api_error(400, f"The request is malformed: {error}") from error


def _version(service: Service, call: Call) -> Version:
    """The microversion asked for; the lowest without one (406 beyond the newest)."""
    newest, key = service.newest(call.cloud.release), service.version_key
    text = next(
        (
            value.split()[1]
            for value in call.headers.get("openstack-api-version", "").split(",")
            if len(value.split()) == 2 and value.split()[0] == key
        ),
        call.headers.get("x-openstack-nova-api-version", "") if key == "compute" else "",
    )
    if not key or not text:
        return service.first
    if text == "latest":
        return newest
    major, _, minor = text.partition(".")
    if not (major.isdigit() and minor.isdigit()):
        raise api_error(400, f"API Version String {text} is of invalid format.")
    version = (int(major), int(minor))
    if service.first <= version <= newest:
        return version
    low, high = (".".join(map(str, v)) for v in (service.first, newest))
    if key == "placement":
        detail = (
            "The resource could not be generated that was acceptable to your browser (content of"
            f" type application/json. \n\n Invalid microversion: Unacceptable version header: {text}"
        )
        raise placement.placement_error(
            406, "Not Acceptable", detail, max_version=high, min_version=low
        )
    message = f"Version {text} is not supported by the API. Minimum is {low} and maximum is {high}."
    raise api_error(406, message)


def _injected(service: Service, fault: Fault) -> Answer:
    """The answer of a status or rate_limit fault, in the service's shape without a body."""
    status = 429 if fault.kind == "rate_limit" else fault.status
    text = "This request was rate-limited." if status == 429 else "Injected by the simulator."
    headers = {"Retry-After": str(fault.retry_after)} if status in (413, 429) else {}
    if fault.body is not None:
        return Answer(status, fault.body, headers)
    if service.type == "network":
        shape = network_error(status, "HTTPInternalServerError", text)
    elif service.type == "image":
        shape = html_error(status, "Error", text)
    elif service.type == "identity":
        shape = identity.identity_error(status, text)
    else:
        shape = api_error(status, text)
    return replace(shape.answer, headers={**shape.answer.headers, **headers})


def _response(call: Call, answer: Answer) -> Response:
    headers = {"x-openstack-request-id": call.request_id, **answer.headers}
    service = {"compute": "compute", "block-storage": "volume"}.get(call.service)
    if service:
        headers["x-compute-request-id"] = call.request_id
        headers["OpenStack-API-Version"] = f"{service} {call.version[0]}.{call.version[1]}"
        headers["Vary"] = "OpenStack-API-Version"
    body: Any = answer.body
    if isinstance(body, str):
        return Response(body, answer.status, headers, "text/html")
    if isinstance(body, bytes):
        return Response(body, answer.status, headers, "application/octet-stream")
    if body is None:
        plain = answer.status == 204 and call.service not in ("compute", "block-storage")
        return Response(b"", answer.status, headers, None if plain else "application/json")
    return Response(json.dumps(body), answer.status, headers, "application/json")


async def _abort(scope: Scope, receive: Receive, send: Send) -> None:
    """Close the connection without an answer; 503 under a server that cannot."""
    abort = scope.get("extensions", {}).get(ABORT, {}).get("abort")
    if abort is None:
        await Response("connection closed by a fault", 503)(scope, receive, send)
        return
    abort()
    while (await receive())["type"] != "http.disconnect":
        pass


def create_app(site: Site) -> Starlette:
    """The ASGI application of a site; saves it after changes if it has a `path`."""
    simulator = Simulator(site)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> Any:
        yield
        simulator.save()

    routes: list[Route | Mount] = [Mount("/_sim", routes=control_routes(site))]
    return Starlette(
        routes=[*routes, Mount("/", app=simulator)],
        lifespan=lifespan,
    )
