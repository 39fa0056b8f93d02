"""Neutron: networks, subnets, ports, tags, quotas."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from cycloud.simulator.calls import Answer, Call, Json, Refused, Routes
from cycloud.simulator.cloud import Cloud
from cycloud.simulator.models.network import Network, Port
from cycloud.simulator.network_views import VIEWS, Resource, view

routes = Routes()

PAGING = {"limit", "marker", "page_reverse", "sort_key", "sort_dir", "fields"}
EXTENSIONS = (
    "dns-integration",
    "standard-attr-description",
    "standard-attr-tag",
    "standard-attr-revisions",
    "revision-if-match",
    "quotas",
    "quota_details",
    "security-group",
    "port-security",
    "binding",
    "allowed-address-pairs",
    "provider",
    "pagination",
    "sorting",
    "project-id",
)
NEW_ATTRIBUTES = {
    "network": {"name", "description", "admin_state_up", "shared", "mtu", "project_id", "tenant_id"}
    | {"port_security_enabled", "router:external", "dns_domain"}
    | {"provider:network_type", "provider:physical_network", "provider:segmentation_id"},
    "subnet": {
        "name",
        "description",
        "network_id",
        "cidr",
        "ip_version",
        "gateway_ip",
        "allocation_pools",
        "enable_dhcp",
        "dns_nameservers",
        "host_routes",
        "project_id",
        "tenant_id",
        "service_types",
    },
    "port": {
        "name",
        "description",
        "network_id",
        "mac_address",
        "fixed_ips",
        "admin_state_up",
        "device_id",
        "device_owner",
        "dns_name",
        "project_id",
        "tenant_id",
        "security_groups",
        "allowed_address_pairs",
        "extra_dhcp_opts",
        "port_security_enabled",
    }
    | {"binding:host_id", "binding:profile", "binding:vnic_type"},
}


def network_error(status: int, kind: str, message: str) -> Refused:
    """An error of neutron: {"NeutronError": {"type", "message", "detail"}}."""
    error = {"type": kind, "message": message, "detail": ""}
    return Refused(Answer(status, {"NeutronError": error}))


def not_found(kind: str, ident: str) -> Refused:
    """NetworkNotFound, SubnetNotFound or PortNotFound."""
    title = kind.capitalize()
    return network_error(404, f"{title}NotFound", f"{title} {ident} could not be found.")


@routes("GET", "/")
def versions(call: Call) -> Answer:
    """The version document."""
    links = [{"rel": "self", "href": f"{call.base}/network/v2.0/"}]
    return Answer(200, {"versions": [{"id": "v2.0", "status": "CURRENT", "links": links}]})


@routes("GET", "/v2.0")
def resources(call: Call) -> Answer:
    """The collections."""
    listed = [
        {
            "name": kind,
            "collection": f"{kind}s",
            "links": [{"rel": "self", "href": f"{call.base}/network/v2.0/{kind}s"}],
        }
        for kind in ("network", "subnet", "port")
    ]
    return Answer(200, {"resources": listed})


@routes("GET", "/v2.0/extensions")
def extensions(call: Call) -> Answer:
    """Aliases of what is simulated."""
    return Answer(200, {"extensions": [{"alias": a, "name": a, "links": []} for a in EXTENSIONS]})


@routes("GET", "/v2.0/agents")
def agents(call: Call) -> Answer:
    """None: nothing below the API is simulated."""
    return Answer(200, {"agents": []})


# -- what all three have in common


def _table(cloud: Cloud, kind: str) -> Mapping[str, Resource]:
    if kind == "network":
        return cloud.networks
    return cloud.subnets if kind == "subnet" else cloud.ports


def find(call: Call, kind: str) -> Resource:
    """The object that the path names (404 in neutron's words)."""
    item = _table(call.cloud, kind).get(call.params["id"])
    shared = isinstance(item, Network) and item.shared
    if item is None or not (shared or call.sees(item.project_id)):
        raise not_found(kind, call.params["id"])
    return item


def list_of(call: Call, kind: str) -> Answer:
    """Objects by any attribute (several values: any of them); an unknown one is refused."""
    wanted: dict[str, list[str]] = {}
    for key, value in call.query:
        if key not in PAGING:
            wanted.setdefault(key, []).append(value)
    known = set(VIEWS[kind]) | {"tags", "tags-any", "not-tags", "not-tags-any"}
    if unknown := sorted(set(wanted) - known):
        text = f"{unknown} is invalid attribute for filtering"
        raise network_error(400, "HTTPBadRequest", text)
    items = [
        i
        for i in _table(call.cloud, kind).values()
        if (call.sees(i.project_id) or (isinstance(i, Network) and i.shared))
        and all(_matches(call, kind, i, key, values) for key, values in wanted.items())
    ]
    items, links = _page(call, kind, items)
    body: Json = {f"{kind}s": [view(call.cloud, i) for i in items]}
    if links:
        body[f"{kind}s_links"] = links
    if chosen := call.args("fields"):
        body[f"{kind}s"] = [{k: v for k, v in i.items() if k in chosen} for i in body[f"{kind}s"]]
    return Answer(200, body)


def _matches(call: Call, kind: str, item: Resource, key: str, values: list[str]) -> bool:
    if key in ("tags", "tags-any", "not-tags", "not-tags-any"):
        tags = {t for v in values for t in v.split(",")}
        held = [t in item.tags for t in tags]
        found = any(held) if key.endswith("any") else all(held)
        return found != key.startswith("not")
    if key == "fixed_ips":
        assert isinstance(item, Port)
        return all(_has_ip(item, v) for v in values)
    shown = getattr(item, key, None)
    if not isinstance(shown, str):
        shown = view(call.cloud, item).get(key)
    if isinstance(shown, list):
        return any(v in shown for v in values)
    if isinstance(shown, bool):
        return any(
            v.lower() in ("true", "1") if shown else v.lower() in ("false", "0") for v in values
        )
    return ("" if shown is None else str(shown)) in values


def _has_ip(port: Port, condition: str) -> bool:
    key, _, value = condition.partition("=")
    places = {"subnet_id": 0, "ip_address": 1}
    if key == "ip_address_substr":
        return any(value in address for _, address in port.fixed_ips)
    return key in places and any(pair[places[key]] == value for pair in port.fixed_ips)


def _page(call: Call, kind: str, items: list[Resource]) -> tuple[list[Resource], list[Json]]:
    """Pages by id, as neutron's native pagination."""
    if not call.arg("limit") and not call.arg("marker"):
        return items, []
    items.sort(key=lambda i: i.id)
    marker = call.arg("marker")
    # A marker that is no longer there is ignored, as neutron does.
    if marker in {i.id for i in items}:
        items = [i for i in items if i.id > marker]
    limit = int(call.arg("limit") or len(items))
    page = items[:limit] if limit else items
    if not page or len(page) < limit:
        return page, []
    rest = [(k, v) for k, v in call.query if k != "marker"]
    href = f"{call.base}/network/v2.0/{kind}s?{urlencode([*rest, ('marker', page[-1].id)])}"
    return page, [{"rel": "next", "href": href}]


def new_body(call: Call, kind: str, needed: Sequence[str] = ()) -> Json:
    """The attributes of a new object; unknown ones and missing ones are refused."""
    body = call.data().get(kind)
    if not isinstance(body, dict):
        raise network_error(400, "HTTPBadRequest", f"Unable to find '{kind}' in request body")
    if unknown := sorted(set(body) - NEW_ATTRIBUTES[kind]):
        text = f"Unrecognized attribute(s) '{', '.join(unknown)}'"
        raise network_error(400, "HTTPBadRequest", text)
    for key in needed:
        if key not in body:
            text = f"Failed to parse request. Required attribute '{key}' not specified"
            raise network_error(400, "HTTPBadRequest", text)
    check_quota(call, kind)
    return body


def check_quota(call: Call, kind: str) -> None:
    """409 OverQuota if the project has its number of objects."""
    limit = call.cloud.quotas.network[kind]
    used = sum(i.project_id == call.project_id for i in _table(call.cloud, kind).values())
    if 0 <= limit <= used:
        raise network_error(409, "OverQuota", f"Quota exceeded for resources: ['{kind}'].")


def changed_body(call: Call, kind: str, item: Resource) -> Json:
    """The attributes to change; If-Match is checked, the revision counted up."""
    body = call.data().get(kind)
    if not isinstance(body, dict):
        raise network_error(400, "HTTPBadRequest", f"Unable to find '{kind}' in request body")
    match = re.match(r"revision_number=(\d+)", call.headers.get("if-match", ""))
    if match and int(match[1]) != item.revision:
        text = f"Constrained to {match[1]}, but current revision is {item.revision}"
        raise network_error(412, "RevisionNumberConstraintFailed", text)
    fixed = {"network_id", "cidr", "ip_version", "project_id", "tenant_id"} & set(body)
    if fixed or set(body) - NEW_ATTRIBUTES[kind]:
        wrong = sorted(fixed or set(body) - NEW_ATTRIBUTES[kind])
        text = f"Cannot update read-only attribute {', '.join(wrong)}"
        raise network_error(400, "HTTPBadRequest", text)
    item.revision += 1
    item.updated = call.site.now()
    return body


# -- tags, quotas


@routes("GET", "/v2.0/{kind}s/{id}/tags")
def tags(call: Call) -> Answer:
    """All tags of an object."""
    return Answer(200, {"tags": find(call, _kind(call)).tags})


@routes("PUT", "/v2.0/{kind}s/{id}/tags")
def set_tags(call: Call) -> Answer:
    """Replace all tags."""
    item = find(call, _kind(call))
    new = call.data().get("tags")
    if not isinstance(new, list) or not all(isinstance(t, str) and len(t) <= 255 for t in new):
        text = f"Invalid input for operation: {new!r} is not a list."
        raise network_error(400, "InvalidInput", text)
    item.tags = sorted(set(new))
    item.revision += 1
    return Answer(200, {"tags": item.tags})


@routes("PUT", "/v2.0/{kind}s/{id}/tags/{tag}")
def add_tag(call: Call) -> Answer:
    """Add one tag."""
    item = find(call, _kind(call))
    item.tags = sorted({*item.tags, call.params["tag"]})
    item.revision += 1
    return Answer(201)


@routes("DELETE", "/v2.0/{kind}s/{id}/tags/{tag}")
def remove_tag(call: Call) -> Answer:
    """Remove one tag (404 TagNotFound)."""
    item = find(call, _kind(call))
    if call.params["tag"] not in item.tags:
        text = f"Tag {call.params['tag']} could not be found."
        raise network_error(404, "TagNotFound", text)
    item.tags.remove(call.params["tag"])
    item.revision += 1
    return Answer(204)


def _kind(call: Call) -> str:
    kind = call.params["kind"]
    if kind not in VIEWS:
        raise network_error(404, "HTTPNotFound", "The resource could not be found.")
    return kind


@routes("GET", "/v2.0/quotas/{project}")
def quota(call: Call) -> Answer:
    """Limits."""
    return Answer(200, {"quota": call.cloud.quotas.network})


@routes("GET", "/v2.0/quotas/{project}/details")
def quota_details(call: Call) -> Answer:
    """Limits and use."""
    used = {
        kind: sum(i.project_id == call.params["project"] for i in _table(call.cloud, kind).values())
        for kind in VIEWS
    }
    details = {
        name: {"limit": limit, "used": used.get(name, 0), "reserved": 0}
        for name, limit in call.cloud.quotas.network.items()
    }
    return Answer(200, {"quota": details})


@routes("PUT", "/v2.0/quotas/{project}")
def set_quota(call: Call) -> Answer:
    """Change limits (of every project here)."""
    new = call.data().get("quota", {})
    if unknown := sorted(set(new) - set(call.cloud.quotas.network) - {"project_id", "tenant_id"}):
        text = f"Unrecognized attribute(s) '{', '.join(unknown)}'"
        raise network_error(400, "HTTPBadRequest", text)
    limits = call.cloud.quotas.network
    limits.update({k: int(v) for k, v in new.items() if k in limits})
    return Answer(200, {"quota": limits})
