"""Nova: metadata and tags of servers."""

from __future__ import annotations

from cycloud.simulator.calls import Answer, Call, api_error, check_strings
from cycloud.simulator.compute import (
    API,
    check_tags,
    conflict,
    find_server,
    object_in,
    placed_server,
    routes,
)
from cycloud.simulator.models.compute import Server


def _check_metadata(server: Server, what: str) -> None:
    if server.vm_state not in ("active", "stopped"):
        raise conflict(server, what, "vm_state")
    if server.task_state is not None:
        raise conflict(server, what, "task_state")


@routes("GET", f"{API}/servers/{{id}}/metadata")
def metadata(call: Call) -> Answer:
    """All metadata."""
    return Answer(200, {"metadata": find_server(call).metadata})


@routes("POST", f"{API}/servers/{{id}}/metadata")
def add_metadata(call: Call) -> Answer:
    """Add to the metadata (409 for a server in ERROR or at work)."""
    server = placed_server(call)
    _check_metadata(server, "update metadata")
    server.metadata |= check_strings(object_in(call, "metadata"), "metadata")
    server.updated = call.site.now()
    return Answer(200, {"metadata": server.metadata})


@routes("PUT", f"{API}/servers/{{id}}/metadata")
def replace_metadata(call: Call) -> Answer:
    """Replace all metadata."""
    server = placed_server(call)
    _check_metadata(server, "update metadata")
    server.metadata = check_strings(object_in(call, "metadata"), "metadata")
    server.updated = call.site.now()
    return Answer(200, {"metadata": server.metadata})


@routes("PUT", f"{API}/servers/{{id}}/metadata/{{key}}")
def set_metadata_item(call: Call) -> Answer:
    """Set one key."""
    server = placed_server(call)
    _check_metadata(server, "update metadata")
    meta = check_strings(object_in(call, "meta"), "meta")
    server.metadata |= meta
    return Answer(200, {"meta": meta})


@routes("DELETE", f"{API}/servers/{{id}}/metadata/{{key}}")
def delete_metadata_item(call: Call) -> Answer:
    """Forget one key (404)."""
    server = placed_server(call)
    if call.params["key"] not in server.metadata:
        raise api_error(404, "Metadata item was not found")
    _check_metadata(server, "delete metadata")
    del server.metadata[call.params["key"]]
    return Answer(204)


@routes("GET", f"{API}/servers/{{id}}/tags")
def tags(call: Call) -> Answer:
    """All tags."""
    return Answer(200, {"tags": find_server(call).tags})


@routes("PUT", f"{API}/servers/{{id}}/tags")
def set_tags(call: Call) -> Answer:
    """Replace all tags."""
    server = placed_server(call)
    server.tags = check_tags(call.data().get("tags"))
    return Answer(200, {"tags": server.tags})


@routes("PUT", f"{API}/servers/{{id}}/tags/{{tag}}")
def add_tag(call: Call) -> Answer:
    """Add one tag."""
    server = placed_server(call)
    known = call.params["tag"] in server.tags
    server.tags = check_tags([*server.tags, call.params["tag"]])
    return Answer(204 if known else 201)


@routes("DELETE", f"{API}/servers/{{id}}/tags/{{tag}}")
def remove_tag(call: Call) -> Answer:
    """Remove one tag (404)."""
    server = placed_server(call)
    if call.params["tag"] not in server.tags:
        text = f"Instance {server.id} has no tag '{call.params['tag']}'"
        raise api_error(404, text)
    server.tags.remove(call.params["tag"])
    return Answer(204)
