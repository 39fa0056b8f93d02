"""Nova's quotas, limits, services, keypairs and zones."""

from __future__ import annotations

from cycloud.simulator.calls import Answer, Call, Json, api_error, invalid, stamp
from cycloud.simulator.compute import API, object_in, require_admin, routes
from cycloud.simulator.models.compute import Flavor


def used(call: Call, project: str) -> dict[str, int]:
    """What a project's servers take."""
    servers = [s for s in call.cloud.servers.values() if s.project_id == project]
    return {
        "instances": len(servers),
        "cores": sum(s.flavor.vcpus for s in servers),
        "ram": sum(s.flavor.ram for s in servers),
    }


def check_quota(call: Call, flavor: Flavor) -> None:
    """403 in nova's words if one more server of this flavor is over a limit."""
    limits, now = call.cloud.quotas.compute, used(call, call.project_id)
    wanted = {"cores": flavor.vcpus, "instances": 1, "ram": flavor.ram}
    over = [k for k in sorted(wanted) if 0 <= limits[k] < now[k] + wanted[k]]
    if over:
        asked = ", ".join(str(wanted[k]) for k in over)
        have = ", ".join(str(now[k]) for k in over)
        allowed = ", ".join(str(limits[k]) for k in over)
        names = ", ".join(over)
        raise api_error(
            403,
            f"Quota exceeded for {names}: Requested {asked}, but already used {have} of"
            f" {allowed} {names}",
        )


def _project(call: Call) -> str:
    if call.params["id"] not in call.cloud.projects:
        raise api_error(400, f"Project ID {call.params['id']} is not a valid project.")
    return call.params["id"]


@routes("GET", f"{API}/os-quota-sets/{{id}}")
def quota_set(call: Call) -> Answer:
    """Limits."""
    return Answer(200, {"quota_set": {"id": _project(call), **call.cloud.quotas.compute}})


@routes("GET", f"{API}/os-quota-sets/{{id}}/detail")
def quota_detail(call: Call) -> Answer:
    """Limits and use."""
    now = used(call, _project(call))
    body: Json = {
        k: {"limit": v, "in_use": now.get(k, 0), "reserved": 0}
        for k, v in call.cloud.quotas.compute.items()
    }
    return Answer(200, {"quota_set": {"id": call.params["id"], **body}})


@routes("PUT", f"{API}/os-quota-sets/{{id}}")
def set_quota(call: Call) -> Answer:
    """Change limits (of every project here)."""
    require_admin(call, "os_compute_api:os-quota-sets:update")
    project = _project(call)
    limits, now = call.cloud.quotas.compute, used(call, project)
    body = object_in(call, "quota_set")
    for key, value in body.items():
        if key == "force":
            continue
        if key not in limits:
            text = f"Additional properties are not allowed ('{key}' was unexpected)"
            raise invalid("quota_set", body, text)
        if 0 <= int(value) < now.get(key, 0) and not body.get("force"):
            text = f"Quota limit {value} for {key} must be greater than or equal to already used"
            raise api_error(400, f"{text} and reserved {now[key]}.")
    limits.update({k: int(v) for k, v in body.items() if k in limits})
    return Answer(200, {"quota_set": limits})


@routes("GET", f"{API}/limits")
def limits(call: Call) -> Answer:
    """Limits and use of the caller's project."""
    project = call.arg("tenant_id") or call.project_id
    quota, now = call.cloud.quotas.compute, used(call, project)
    absolute = {
        "maxTotalCores": quota["cores"],
        "maxTotalInstances": quota["instances"],
        "maxTotalKeypairs": quota["key_pairs"],
        "maxServerMeta": quota["metadata_items"],
        "maxTotalRAMSize": quota["ram"],
        "maxServerGroups": quota["server_groups"],
        "maxServerGroupMembers": quota["server_group_members"],
        "totalRAMUsed": now["ram"],
        "totalCoresUsed": now["cores"],
        "totalInstancesUsed": now["instances"],
        "totalServerGroupsUsed": 0,
    }
    return Answer(200, {"limits": {"rate": [], "absolute": absolute}})


@routes("GET", f"{API}/os-services")
def services(call: Call) -> Answer:
    """The three services of the only host."""
    require_admin(call, "os_compute_api:os-services:list")
    zones = {"nova-scheduler": "internal", "nova-conductor": "internal", "nova-compute": "nova"}
    listed = [
        {
            "id": call.cloud.compute_service_id,
            "binary": binary,
            "host": call.cloud.compute_host,
            "zone": zone,
            "status": "enabled",
            "state": "up",
            "updated_at": stamp(call.site.now(), micro=True),
            "disabled_reason": None,
            "forced_down": False,
        }
        for binary, zone in zones.items()
    ]
    return Answer(200, {"services": listed})


@routes("GET", f"{API}/os-availability-zone")
def zones(call: Call) -> Answer:
    """The only zone."""
    zone = {"zoneName": "nova", "zoneState": {"available": True}, "hosts": None}
    return Answer(200, {"availabilityZoneInfo": [zone]})
