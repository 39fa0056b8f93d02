"""Placement: enough for discovery and for a look at the only resource provider."""

from __future__ import annotations

from cycloud.simulator.calls import Answer, Call, Json, Refused, Routes

routes = Routes()


def placement_error(status: int, title: str, detail: str, **more: str) -> Refused:
    """An error of placement: {"errors": [{"status", "title", "detail"}]}."""
    return Refused(
        Answer(status, {"errors": [{"status": status, "title": title, "detail": detail, **more}]})
    )


@routes("GET", "/")
def versions(call: Call) -> Answer:
    """The version document."""
    major, minor = call.cloud.release.placement
    return Answer(
        200,
        {
            "versions": [
                {
                    "id": "v1.0",
                    "max_version": f"{major}.{minor}",
                    "min_version": "1.0",
                    "status": "CURRENT",
                    "links": [{"rel": "self", "href": ""}],
                }
            ]
        },
    )


def _provider(call: Call) -> Json:
    ident = call.cloud.compute_service_id
    path = f"/resource_providers/{ident}"
    rels = ("self", "inventories", "usages", "aggregates", "traits", "allocations")
    links = [{"rel": r, "href": path if r == "self" else f"{path}/{r}"} for r in rels]
    return {
        "uuid": ident,
        "name": call.cloud.compute_host,
        "generation": 2,
        "links": links,
        "parent_provider_uuid": None,
        "root_provider_uuid": ident,
    }


@routes("GET", "/resource_providers")
def providers(call: Call) -> Answer:
    """The hypervisor as a resource provider."""
    found = [_provider(call)] if call.arg("name") in ("", call.cloud.compute_host) else []
    return Answer(200, {"resource_providers": found})


@routes("GET", "/resource_providers/{id}")
def provider(call: Call) -> Answer:
    """One resource provider."""
    _check(call)
    return Answer(200, _provider(call))


@routes("GET", "/resource_providers/{id}/usages")
def usages(call: Call) -> Answer:
    """What the servers on the hypervisor take."""
    _check(call)
    placed = [s for s in call.cloud.servers.values() if s.host]
    used = {
        "VCPU": sum(s.flavor.vcpus for s in placed),
        "MEMORY_MB": sum(s.flavor.ram for s in placed),
    }
    return Answer(200, {"resource_provider_generation": 2, "usages": used})


def _check(call: Call) -> None:
    if call.params["id"] != call.cloud.compute_service_id:
        text = f"No resource provider with uuid {call.params['id']} found  "
        detail = f"The resource could not be found.\n\n {text}"
        raise placement_error(404, "Not Found", detail, request_id=call.request_id)
