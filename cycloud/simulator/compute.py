"""Nova: versions, flavors, the listing of servers, metadata, tags, quotas, services."""

from __future__ import annotations

from datetime import datetime

from cycloud.simulator.calls import Answer, Call, Json, Routes, api_error, invalid, next_page
from cycloud.simulator.compute_views import flavor_brief, flavor_view, server_view
from cycloud.simulator.models.compute import Flavor, Server

routes = Routes()
API = "/v2.1"

FILTERS = {
    "name",
    "status",
    "host",
    "hostname",
    "ip",
    "ip6",
    "image",
    "flavor",
    "tenant_id",
    "project_id",
    "user_id",
    "all_tenants",
    "deleted",
    "vm_state",
    "task_state",
    "power_state",
    "availability_zone",
    "key_name",
    "locked",
    "uuid",
    "limit",
    "marker",
    "sort_key",
    "sort_dir",
    "changes-since",
    "changes-before",
    "tags",
    "tags-any",
    "not-tags",
    "not-tags-any",
    "reservation_id",
    "created_at",
    "launched_at",
    "terminated_at",
    "description",
    "node",
    "config_drive",
}
JOINED = (
    "metadata",
    "system_metadata",
    "block_device_mapping",
    "services",
    "info_cache",
    "security_groups",
    "pci_devices",
)
"""Query parameters that nova takes by its schema and then refuses ("Invalid filter field")."""

STATUSES = ("ACTIVE", "BUILD", "SHUTOFF", "ERROR", "REBOOT", "HARD_REBOOT", "DELETED")


@routes("GET", "/")
def versions(call: Call) -> Answer:
    """Both versions of the API."""
    major, minor = call.cloud.release.compute
    root = f"{call.base}/compute"
    return Answer(
        200,
        {
            "versions": [
                {
                    "id": "v2.0",
                    "status": "DEPRECATED" if minor > 100 else "SUPPORTED",
                    "version": "",
                    "min_version": "",
                    "updated": "2011-01-21T11:33:21Z",
                    "links": [{"rel": "self", "href": f"{root}/v2/"}],
                },
                {
                    "id": "v2.1",
                    "status": "CURRENT",
                    "version": f"{major}.{minor}",
                    "min_version": "2.1",
                    "updated": "2013-07-23T11:33:21Z",
                    "links": [{"rel": "self", "href": f"{root}/v2.1/"}],
                },
            ]
        },
    )


@routes("GET", API)
def version(call: Call) -> Answer:
    """The version document."""
    major, minor = call.cloud.release.compute
    return Answer(
        200,
        {
            "version": {
                "id": "v2.1",
                "status": "CURRENT",
                "version": f"{major}.{minor}",
                "min_version": "2.1",
                "updated": "2013-07-23T11:33:21Z",
                "links": [
                    {"rel": "self", "href": f"{call.base}/compute/v2.1/"},
                    {
                        "rel": "describedby",
                        "type": "text/html",
                        "href": "http://docs.openstack.org/",
                    },
                ],
                "media-types": [
                    {
                        "base": "application/json",
                        "type": "application/vnd.openstack.compute+json;version=2.1",
                    }
                ],
            }
        },
    )


# -- flavors


@routes("GET", f"{API}/flavors")
@routes("GET", f"{API}/flavors/detail")
def flavors(call: Call) -> Answer:
    """Flavors, by minimum of memory or disk."""
    found = [
        f
        for f in sorted(call.cloud.flavors.values(), key=lambda f: f.id)
        if (f.is_public or call.is_admin)
        and f.ram >= int(call.arg("minRam") or 0)
        and f.disk >= int(call.arg("minDisk") or 0)
    ]
    missing = api_error(400, f"marker [{call.arg('marker')}] not found")
    page, rest = next_page(
        call, found, lambda f: f.id, f"{call.base}/compute{API}/flavors/detail", missing
    )
    shown = flavor_view if call.path.rstrip("/").endswith("detail") else flavor_brief
    body: Json = {"flavors": [shown(call, f) for f in page]}
    if rest:
        body["flavors_links"] = rest
    return Answer(200, body)


@routes("GET", f"{API}/flavors/{{id}}")
def flavor(call: Call) -> Answer:
    """One flavor."""
    return Answer(200, {"flavor": flavor_view(call, _flavor(call))})


def _flavor(call: Call) -> Flavor:
    found = call.cloud.flavors.get(call.params["id"])
    if found is None:
        raise api_error(404, f"Flavor {call.params['id']} could not be found.")
    return found


@routes("GET", f"{API}/flavors/{{id}}/os-extra_specs")
def extra_specs(call: Call) -> Answer:
    """Extra specs."""
    return Answer(200, {"extra_specs": _flavor(call).extra_specs})


@routes("POST", f"{API}/flavors")
def create_flavor(call: Call) -> Answer:
    """A flavor; 409 if name or id is taken."""
    require_admin(call, "os_compute_api:os-flavor-manage:create")
    body = object_in(call, "flavor")
    name = str(body.get("name", ""))
    asked = body.get("id")
    ident = str(asked) if asked and asked != "auto" else call.request_id[4:]
    if any(f.name == name or f.id == ident for f in call.cloud.flavors.values()):
        raise api_error(409, f"Flavor with name {name} already exists.")
    new = Flavor(ident, name, int(body["vcpus"]), int(body["ram"]), int(body.get("disk", 0)))
    new.is_public = bool(body.get("os-flavor-access:is_public", True))
    call.cloud.flavors[ident] = new
    return Answer(200, {"flavor": flavor_view(call, new)})


@routes("DELETE", f"{API}/flavors/{{id}}")
def delete_flavor(call: Call) -> Answer:
    """Remove a flavor; servers keep their copy."""
    require_admin(call, "os_compute_api:os-flavor-manage:delete")
    del call.cloud.flavors[_flavor(call).id]
    return Answer(202)


# -- what the other modules need


def require_admin(call: Call, policy: str) -> None:
    """403 in nova's words for a member."""
    if not call.is_admin:
        raise api_error(403, f"Policy doesn't allow {policy} to be performed.")


def object_in(call: Call, key: str) -> Json:
    """The object under `key` in the body (400)."""
    try:
        data = call.data()
    except ValueError:
        raise api_error(400, "The request body is malformed.") from None
    value = data.get(key)
    if not isinstance(value, dict):
        text = f"Invalid input for field/attribute. Value: {data}. '{key}' is a required property"
        raise api_error(400, text)
    return value


def find_server(call: Call) -> Server:
    """The server that the path names (404)."""
    server = call.cloud.servers.get(call.params["id"])
    if server is None or not call.sees(server.project_id):
        raise api_error(404, f"Instance {call.params['id']} could not be found.")
    return server


def placed_server(call: Call) -> Server:
    """The same for calls that need the cell's row: it may be missing right after the create."""
    server = find_server(call)
    if server.not_yet > 0:
        server.not_yet -= 1
        raise api_error(404, f"Instance {server.id} could not be found.")
    return server


def conflict(server: Server, action: str, attribute: str) -> Exception:
    """409 for an action that the state does not allow."""
    value = getattr(server, attribute)
    text = f"Cannot '{action}' instance {server.id} while it is in {attribute} {value}"
    return api_error(409, text)


def check_tags(tags: object) -> list[str]:
    """At most 50 tags of at most 60 characters without "/" and "," (400)."""
    if not isinstance(tags, list) or len(set(map(str, tags))) > 50:
        raise api_error(400, f"Invalid input for field/attribute tags. Value: {tags}.")
    for number, tag in enumerate(tags):
        if not isinstance(tag, str) or not 1 <= len(tag) <= 60:
            raise invalid(str(number), tag, f"{tag!r} is too long")
        if set("/,") & set(tag):
            raise invalid(str(number), tag, f"{tag!r} does not match '^[^,/]*$'")
    return sorted(set(tags))


# -- servers


@routes("GET", f"{API}/servers")
def list_brief(call: Call) -> Answer:
    """Ids, names and links."""
    body = list_detail(call).body
    body["servers"] = [
        {"id": s["id"], "name": s["name"], "links": s["links"]} for s in body["servers"]
    ]
    return Answer(200, body)


@routes("GET", f"{API}/servers/detail")
def list_detail(call: Call) -> Answer:
    """Servers, newest first. Filtering by metadata is refused, as by the real nova."""
    _check_filters(call)
    since = _time(call, "changes-since")
    servers = list(call.cloud.servers.values())
    if since is not None or call.arg("status").upper() == "DELETED" or call.flag("deleted"):
        servers = [*call.cloud.deleted_servers.values(), *servers]
    found = [
        s
        for s in reversed(servers)
        if call.lists(s.project_id)
        and (since is None or s.updated >= since)
        and all(_matches(call, s, key, value) for key, value in call.query)
    ]
    missing = api_error(400, f"marker [{call.arg('marker')}] not found")
    url = f"{call.base}/compute{API}/servers/detail"
    page, rest = next_page(call, found, lambda s: s.id, url, missing)
    body: Json = {"servers": [server_view(call, s) for s in page]}
    if rest:
        body["servers_links"] = rest
    return Answer(200, body)


def _check_filters(call: Call) -> None:
    for key, value in call.query:
        if key in JOINED and call.is_admin:
            raise api_error(400, f"Invalid filter field: {key}.")
        if key not in FILTERS | set(JOINED) and not key.startswith("_"):
            raise api_error(400, f"'{key}' does not match any of the regexes: '^_'")
        if key == "status" and value.upper() not in STATUSES:
            raise api_error(400, "Invalid status value")


def _time(call: Call, key: str) -> float | None:
    text = call.arg(key)
    if not text:
        return None
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except ValueError:
        raise api_error(
            400,
            f"Invalid input for query parameters {key}. Value: {text}."
            f" '{text}' is not a 'date-time'",
        ) from None


def _matches(call: Call, server: Server, key: str, value: str) -> bool:
    if key in ("tags", "tags-any", "not-tags", "not-tags-any"):
        held = [t in server.tags for t in value.split(",")]
        found = any(held) if key.endswith("any") else all(held)
        return found != key.startswith("not")
    if key == "status":
        return server.status == value.upper()
    if key == "name":
        return value in server.name
    if key == "flavor":
        return server.flavor.id == value
    if key == "uuid":
        return server.id == value
    if key in ("tenant_id", "project_id"):
        return server.project_id == value or not call.flag("all_tenants")
    if key in ("host", "hostname", "user_id", "vm_state", "task_state", "key_name"):
        return str(getattr(server, key) or "") == value
    return True


@routes("GET", f"{API}/servers/{{id}}")
def show(call: Call) -> Answer:
    """One server."""
    return Answer(200, {"server": server_view(call, find_server(call), alone=True)})


@routes("PUT", f"{API}/servers/{{id}}")
def update(call: Call) -> Answer:
    """Change name, description or hostname."""
    server = placed_server(call)
    body = object_in(call, "server")
    for key in ("name", "description", "hostname"):
        setattr(server, key, body.get(key, getattr(server, key)))
    server.updated = call.site.now()
    return Answer(200, {"server": server_view(call, server, alone=True)})
