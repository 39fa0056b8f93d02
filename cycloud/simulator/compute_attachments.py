"""Nova: volumes and ports of a server that exists."""

from __future__ import annotations

from cycloud.simulator.calls import Answer, Call, Json, api_error, invalid
from cycloud.simulator.cloud import new_id
from cycloud.simulator.compute import (
    API,
    conflict,
    object_in,
    placed_server,
    routes,
)
from cycloud.simulator.compute_servers import (
    UNREACHABLE,
    free_port,
    not_reservable,
    record,
    unexpected,
)
from cycloud.simulator.compute_views import device_view
from cycloud.simulator.guests import reserve, slowness
from cycloud.simulator.models.compute import BlockDevice, Server
from cycloud.simulator.models.network import Port
from cycloud.simulator.network_ports import bind, new_port

VOLUMES = f"{API}/servers/{{id}}/os-volume_attachments"
PORTS = f"{API}/servers/{{id}}/os-interface"


def _require_idle(server: Server, name: str) -> None:
    """409 unless the server is there and nothing is being done to it."""
    if server.host is None and server.vm_state != "error":
        raise api_error(409, f"Instance {server.id} is not ready")
    if server.vm_state not in ("active", "stopped"):
        raise conflict(server, name, "vm_state")
    if server.task_state is not None:
        raise conflict(server, name, "task_state")


@routes("GET", VOLUMES)
def volumes(call: Call) -> Answer:
    """The volumes of a server."""
    server = placed_server(call)
    listed = [device_view(call, server, d) for d in server.devices]
    return Answer(200, {"volumeAttachments": listed})


def _device(call: Call, server: Server) -> BlockDevice:
    device = server.device_of(call.params["volume"])
    if device is None:
        text = f"Instance {server.id} is not attached to volume {call.params['volume']}"
        raise api_error(404, text)
    return device


@routes("GET", VOLUMES + "/{volume}")
def show_volume(call: Call) -> Answer:
    """One volume of a server."""
    server = placed_server(call)
    device = _device(call, server)
    return Answer(200, {"volumeAttachment": device_view(call, server, device)})


@routes("POST", VOLUMES)
def attach(call: Call) -> Answer:
    """200 with a device name, although it may fail later; 400 for a volume in use."""
    server = placed_server(call)
    body = object_in(call, "volumeAttachment")
    if "volumeId" not in body:
        raise invalid("volumeAttachment", body, "'volumeId' is a required property")
    volume = call.cloud.volumes.get(str(body["volumeId"]))
    if call.site.faults.is_down(call.cloud.name, "block-storage"):
        raise unexpected("cinderclient.exceptions.ClientException")
    _require_idle(server, "attach_volume")
    if volume is None or not call.sees(volume.project_id):
        raise api_error(404, f"Volume {body['volumeId']} could not be found.")
    users = [a.instance for a in volume.attachments.values() if a.status == "attached"]
    if users:
        text = f"volume {volume.id} is already attached to instances: {', '.join(users)}"
        raise api_error(400, f"Invalid volume: {text}")
    if volume.status != "available":
        raise not_reservable(call, volume, volume.status)
    device = BlockDevice(
        volume.id,
        new_id(),
        new_id(),
        server.next_device(),
        delete_on_termination=bool(body.get("delete_on_termination")),
        tag=body.get("tag"),
    )
    server.devices.append(device)
    reserve(call.site, call.cloud, server.id, device)
    request = record(call, server, "attach_volume")
    args = (server.id, volume.id, request)
    call.site.later(call.cloud, "reserved", "server.attaching", *args)
    view = {"id": volume.id, **device_view(call, server, device)}
    for key in ("attachment_id", "bdm_uuid"):
        # Only the listing has them, whatever the microversion.
        view.pop(key, None)
    return Answer(200, {"volumeAttachment": view})


@routes("DELETE", VOLUMES + "/{volume}")
def detach(call: Call) -> Answer:
    """202; the root volume cannot be detached (400)."""
    server = placed_server(call)
    if call.params["volume"] not in call.cloud.volumes:
        raise api_error(404, f"Volume {call.params['volume']} could not be found.")
    device = _device(call, server)
    if device.boot_index == 0:
        raise api_error(400, "Cannot detach a root device volume")
    _require_idle(server, "detach_volume")
    volume = call.cloud.volumes[device.volume_id]
    if volume.status != "in-use":
        text = "Unable to detach volume. Volume status must be 'in-use' and attach_status must be"
        raise api_error(
            400,
            f"Invalid volume: Invalid input received: Invalid volume: {text} 'attached' to detach."
            f" (HTTP 400) (Request-ID: {call.request_id})",
        )
    volume.status = "detaching"
    request = record(call, server, "detach_volume")
    args = (server.id, device.volume_id, request)
    call.site.later(call.cloud, "detaching", "server.detach", *args, delay=slowness(server))
    return Answer(202)


def _interface(port: Port) -> Json:
    return {
        "net_id": port.network_id,
        "port_id": port.id,
        "mac_addr": port.mac_address,
        "port_state": port.status,
        "fixed_ips": [{"subnet_id": s, "ip_address": a} for s, a in port.fixed_ips],
        "tag": None,
    }


@routes("GET", PORTS)
def interfaces(call: Call) -> Answer:
    """The ports of a server."""
    server = placed_server(call)
    listed = [_interface(p) for p in call.cloud.ports_of(server.id)]
    return Answer(200, {"interfaceAttachments": listed})


@routes("GET", PORTS + "/{port}")
def interface(call: Call) -> Answer:
    """One port of a server."""
    server = placed_server(call)
    port = call.cloud.ports.get(call.params["port"])
    if port is None or port.device_id != server.id:
        raise api_error(404, f"Port id {call.params['port']} could not be found.")
    return Answer(200, {"interfaceAttachment": _interface(port)})


@routes("POST", PORTS)
def attach_interface(call: Call) -> Answer:
    """Give a server a port, also a stopped one; nova waits for this one itself."""
    server = placed_server(call)
    body = object_in(call, "interfaceAttachment")
    _require_idle(server, "attach_interface")
    if call.site.faults.is_down(call.cloud.name, "network"):
        raise unexpected(UNREACHABLE)
    if body.get("port_id"):
        port = free_port(call, body["port_id"], 404)
    else:
        network = call.cloud.networks.get(str(body.get("net_id")))
        if network is None:
            raise api_error(404, f"Network {body.get('net_id')} could not be found.")
        wish = {"fixed_ips": body["fixed_ips"]} if body.get("fixed_ips") else {}
        port = new_port(call.cloud, network, call.project_id, call.site.now(), wish)
        server.own_ports.append(port.id)
    port.device_id, port.device_owner = server.id, "compute:nova"
    port.dns_name = port.dns_name or server.hostname
    bind(port, call.cloud.compute_host)
    server.ports.append(port.id)
    request = record(call, server, "attach_interface")
    server.actions[-1].finished = True
    assert request
    return Answer(200, {"interfaceAttachment": _interface(port)})


@routes("DELETE", PORTS + "/{port}")
def detach_interface(call: Call) -> Answer:
    """202, also for a port that is not there; it is unbound a moment later."""
    server = placed_server(call)
    _require_idle(server, "detach_interface")
    request = record(call, server, "detach_interface")
    args = (server.id, call.params["port"], request)
    call.site.later(call.cloud, "detaching", "server.detach_port", *args)
    return Answer(202)
