"""How nova shows its objects, by microversion."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from cycloud.simulator.calls import Call, Json, stamp
from cycloud.simulator.cloud import Version
from cycloud.simulator.models.compute import ActionRecord, BlockDevice, Flavor, Server, ServerFault

SINCE: Mapping[Version, tuple[str, ...]] = {
    (2, 3): (
        "OS-EXT-SRV-ATTR:hostname",
        "OS-EXT-SRV-ATTR:kernel_id",
        "OS-EXT-SRV-ATTR:launch_index",
        "OS-EXT-SRV-ATTR:ramdisk_id",
        "OS-EXT-SRV-ATTR:reservation_id",
        "OS-EXT-SRV-ATTR:root_device_name",
        "OS-EXT-SRV-ATTR:user_data",
    ),
    (2, 9): ("locked",),
    (2, 16): ("host_status",),
    (2, 19): ("description",),
    (2, 26): ("tags",),
    (2, 63): ("trusted_image_certificates",),
    (2, 73): ("locked_reason",),
    (2, 96): ("pinned_availability_zone",),
}
"""Keys of a server and the microversion that brought them."""

ADMIN_KEYS = ("OS-EXT-SRV-ATTR:", "host_status")


def links(call: Call, kind: str, ident: str) -> list[Json]:
    """The self and bookmark links of an object."""
    root = f"{call.base}/compute"
    return [
        {"rel": "self", "href": f"{root}/v2.1/{kind}/{ident}"},
        {"rel": "bookmark", "href": f"{root}/{kind}/{ident}"},
    ]


def flavor_brief(call: Call, flavor: Flavor) -> Json:
    """A flavor in the short listing."""
    body = flavor_view(call, flavor)
    return {k: body[k] for k in ("id", "name", "links", "description") if k in body}


def flavor_view(call: Call, flavor: Flavor) -> Json:
    """A flavor."""
    body: Json = {
        "id": flavor.id,
        "name": flavor.name,
        "ram": flavor.ram,
        "disk": flavor.disk,
        "swap": 0 if call.version >= (2, 75) else "",
        "OS-FLV-EXT-DATA:ephemeral": 0,
        "OS-FLV-DISABLED:disabled": False,
        "vcpus": flavor.vcpus,
        "os-flavor-access:is_public": flavor.is_public,
        "rxtx_factor": 1.0,
        "links": links(call, "flavors", flavor.id),
    }
    if call.version >= (2, 55):
        body["description"] = None
    if call.version >= (2, 61):
        body["extra_specs"] = dict(flavor.extra_specs)
    return body


def _flavor_in_server(call: Call, flavor: Flavor) -> Json:
    if call.version < (2, 47):
        return {"id": flavor.id, "links": links(call, "flavors", flavor.id)[1:]}
    return {
        "vcpus": flavor.vcpus,
        "ram": flavor.ram,
        "disk": flavor.disk,
        "ephemeral": 0,
        "swap": 0,
        "original_name": flavor.name,
        "extra_specs": dict(flavor.extra_specs),
    }


def _addresses(call: Call, server: Server) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for port_id in server.ports:
        port = call.cloud.ports.get(port_id)
        if port is None or port.device_id != server.id:
            continue
        network = call.cloud.networks[port.network_id]
        for _, address in port.fixed_ips:
            found.setdefault(network.name, []).append(
                {
                    "version": 6 if ":" in address else 4,
                    "addr": address,
                    "OS-EXT-IPS:type": "fixed",
                    "OS-EXT-IPS-MAC:mac_addr": port.mac_address,
                }
            )
    return found


def server_view(call: Call, server: Server, *, alone: bool = False) -> Json:
    """A server without the keys that the microversion or the caller may not see."""
    body = _all_keys(call, server)
    if alone and call.version >= (2, 71):
        body["server_groups"] = []
    unknown = {k for since, keys in SINCE.items() if since > call.version for k in keys}
    if not call.is_admin:
        unknown |= {k for k in body if k.startswith(ADMIN_KEYS)}
        unknown -= {"OS-EXT-SRV-ATTR:hostname"} if call.version >= (2, 90) else set()
    return {k: v for k, v in body.items() if k not in unknown}


def _all_keys(call: Call, server: Server) -> Json:
    host_id = hashlib.sha224(f"{server.project_id}{server.host}".encode()).hexdigest()
    early = server.task_state == "scheduling"
    body: Json = {
        "id": server.id,
        "name": server.name,
        "status": server.status,
        "tenant_id": server.project_id,
        "user_id": server.user_id,
        "metadata": dict(server.metadata),
        "hostId": host_id if server.host else "",
        "image": {"id": server.image_id} if server.image_id else "",
        "flavor": _flavor_in_server(call, server.flavor),
        "created": stamp(server.created),
        "updated": stamp(server.updated),
        "addresses": _addresses(call, server),
        "accessIPv4": "",
        "accessIPv6": "",
        "links": links(call, "servers", server.id),
        "OS-DCF:diskConfig": "MANUAL",
        "OS-EXT-AZ:availability_zone": "nova" if server.host else "",
        "config_drive": "True" if server.config_drive else "",
        "key_name": server.key_name,
        "OS-SRV-USG:launched_at": stamp(server.launched_at, micro=True),
        "OS-SRV-USG:terminated_at": stamp(server.terminated_at, micro=True),
        **_admin_keys(server),
        "OS-EXT-STS:task_state": server.task_state,
        "OS-EXT-STS:vm_state": server.vm_state,
        "OS-EXT-STS:power_state": server.power_state,
        "os-extended-volumes:volumes_attached": []
        if early
        else [_attached(call, d) for d in server.devices],
        "locked": server.locked,
        "locked_reason": None,
        "description": server.description,
        "tags": list(server.tags),
        "trusted_image_certificates": None,
        "host_status": "UP" if server.host else "",
        "pinned_availability_zone": server.availability_zone,
    }
    if server.status in ("ACTIVE", "BUILD"):
        body["progress"] = 0 if early or server.status == "ACTIVE" else 50
    if server.host:
        body["security_groups"] = [{"name": "default"}]
    if server.fault and server.status in ("ERROR", "DELETED"):
        body["fault"] = _fault(call, server.fault)
    return body


def _fault(call: Call, fault: ServerFault) -> Json:
    body: Json = {
        "code": fault.code,
        "created": stamp(fault.created),
        "message": fault.message,
    }
    if call.is_admin and fault.details:
        body["details"] = fault.details
    return body


def _admin_keys(server: Server) -> Json:
    early = server.task_state == "scheduling"
    return {
        "OS-EXT-SRV-ATTR:host": server.host,
        "OS-EXT-SRV-ATTR:instance_name": "" if early else f"instance-{server.number:08x}",
        "OS-EXT-SRV-ATTR:hypervisor_hostname": server.host,
        "OS-EXT-SRV-ATTR:reservation_id": f"r-{server.id[:8]}",
        "OS-EXT-SRV-ATTR:launch_index": 0,
        "OS-EXT-SRV-ATTR:hostname": server.hostname,
        "OS-EXT-SRV-ATTR:kernel_id": "",
        "OS-EXT-SRV-ATTR:ramdisk_id": "",
        "OS-EXT-SRV-ATTR:root_device_name": None if early else "/dev/sda",
        "OS-EXT-SRV-ATTR:user_data": server.user_data,
    }


def _attached(call: Call, device: BlockDevice) -> Json:
    body: Json = {"id": device.volume_id}
    if call.version >= (2, 3):
        body["delete_on_termination"] = device.delete_on_termination
    return body


def device_view(call: Call, server: Server, device: BlockDevice) -> Json:
    """A volume attachment as nova shows it."""
    body: Json = {"volumeId": device.volume_id, "serverId": server.id, "device": device.device}
    if call.version < (2, 89):
        body["id"] = device.volume_id
    if call.version >= (2, 70):
        body["tag"] = device.tag
    if call.version >= (2, 79):
        body["delete_on_termination"] = device.delete_on_termination
    if call.version >= (2, 89):
        body["attachment_id"] = device.attachment_id
        body["bdm_uuid"] = device.bdm_uuid
    return body


def action_view(server: Server, record: ActionRecord) -> Json:
    """An instance action."""
    return {
        "action": record.action,
        "instance_uuid": server.id,
        "request_id": record.request_id,
        "user_id": record.user_id,
        "project_id": record.project_id,
        "start_time": stamp(record.started, micro=True),
        "message": record.message,
        "updated_at": stamp(record.updated, micro=True),
    }
