"""Nova: create a server."""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_urlsafe

from cycloud.simulator.calls import (
    Answer,
    Call,
    Json,
    api_error,
    check_keys,
    check_strings,
    invalid,
)
from cycloud.simulator.cloud import Version, new_id
from cycloud.simulator.compute import (
    API,
    check_tags,
    object_in,
    routes,
)
from cycloud.simulator.compute_quotas import check_quota
from cycloud.simulator.compute_views import links
from cycloud.simulator.guests import reserve
from cycloud.simulator.models.block_storage import Volume
from cycloud.simulator.models.compute import ActionRecord, BlockDevice, Server
from cycloud.simulator.models.network import Port
from cycloud.simulator.network_ports import new_port

KEYS: dict[Version, str] = {
    (2, 1): (
        "name flavorRef imageRef networks block_device_mapping_v2 metadata user_data config_drive"
        " key_name availability_zone security_groups adminPass min_count max_count accessIPv4"
        " accessIPv6 OS-DCF:diskConfig return_reservation_id"
    ),
    (2, 19): "description",
    (2, 52): "tags",
    (2, 63): "trusted_image_certificates",
    (2, 74): "host hypervisor_hostname",
    (2, 90): "hostname",
}
"""Attributes of a new server and the microversion that brought them."""

DEVICE_KEYS = {
    "uuid",
    "source_type",
    "destination_type",
    "boot_index",
    "delete_on_termination",
    "device_name",
    "volume_size",
    "tag",
    "volume_type",
    "device_type",
    "disk_bus",
    "guest_format",
    "no_device",
}


def unexpected(cause: str) -> Exception:
    """500 as nova answers when it cannot reach a neighbour; names the exception's class."""
    text = f"Unexpected API Error. Please contact the administrator\n<class '{cause}'>"
    return api_error(500, text)


UNREACHABLE = "keystoneauth1.exceptions.connection.ConnectFailure"


def record(call: Call, server: Server, action: str) -> str:
    """Open an instance action; returns the id by which its work closes it."""
    now = call.site.now()
    user = call.user.user
    server.actions.append(ActionRecord(action, call.request_id, user.id, user.project.id, now, now))
    server.updated = now
    return call.request_id


# -- create


@routes("POST", f"{API}/servers")
def create(call: Call) -> Answer:
    """A server in BUILD. Checks in nova's order: body, flavor, image, ports, quota, volumes."""
    spec = object_in(call, "server")
    _check_spec(call, spec)
    flavor = call.cloud.flavors.get(str(spec["flavorRef"]).rpartition("/")[2])
    if flavor is None:
        raise api_error(400, f"Flavor {spec['flavorRef']} could not be found.")
    image_id = str(spec.get("imageRef") or "")
    if image_id and image_id not in call.cloud.images:
        raise api_error(400, "Can not find requested image")
    if spec.get("key_name"):
        raise api_error(400, "Invalid key_name provided.")
    volumes = _volumes(call, spec, image_id)
    ports = _ports(call, spec)
    check_quota(call, flavor)
    _check_reservable(call, [volume for _, volume in volumes])
    now = call.site.now()
    call.cloud.server_count += 1
    server = Server(
        new_id(),
        call.cloud.server_count,
        spec["name"],
        call.project_id,
        call.user.user.id,
        flavor,
        now,
        now,
        metadata=check_strings(spec.get("metadata") or {}, "metadata"),
        tags=check_tags(spec.get("tags") or []),
        description=spec.get("description"),
        hostname=spec.get("hostname") or _hostname(spec["name"]),
        image_id=image_id,
        user_data=spec.get("user_data"),
        config_drive=spec.get("config_drive") in (True, "true", "True", "1"),
        availability_zone=spec.get("availability_zone"),
    )
    server.planned = {k for k in ("no_valid_host", "spawn_failed") if call.effect(k)}
    if fault := call.effect("not_yet"):
        server.not_yet = fault.requests
    _take(call, server, volumes, ports, spec)
    call.cloud.servers[server.id] = server
    request = record(call, server, "create")
    call.site.later(call.cloud, "scheduling", "server.schedule", server.id, request)
    return _accepted(call, server)


def _accepted(call: Call, server: Server) -> Answer:
    body: Json = {
        "id": server.id,
        "links": links(call, "servers", server.id),
        "OS-DCF:diskConfig": "MANUAL",
        "security_groups": [{"name": "default"}],
        "adminPass": token_urlsafe(9),
    }
    return Answer(202, {"server": body}, {"Location": body["links"][0]["href"]})


def _hostname(name: str) -> str:
    text = "".join(c if c.isalnum() or c == "-" else "-" for c in name.lower()).strip("-")
    return text[:63] or "server"


def _check_spec(call: Call, spec: Json) -> None:
    known = {k for since, keys in KEYS.items() if since <= call.version for k in keys.split()}
    check_keys("server", spec, known)
    needed = ["name", "flavorRef", *(["networks"] if call.version >= (2, 37) else [])]
    for key in needed:
        if key not in spec:
            raise invalid("server", spec, f"'{key}' is a required property")
    _check_name(spec["name"])
    for number, device in enumerate(spec.get("block_device_mapping_v2") or []):
        check_keys(str(number), device, DEVICE_KEYS)
    if spec.get("availability_zone") not in (None, "nova"):
        raise api_error(400, "The requested availability zone is not available")
    if len(spec.get("user_data") or "") > 65535:
        raise invalid("user_data", "...", "the value is too long")
    if len(spec.get("description") or "") > 255:
        raise invalid("description", spec["description"], f"{spec['description']!r} is too long")
    check_strings(spec.get("metadata") or {}, "metadata")
    check_tags(spec.get("tags") or [])


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not 1 <= len(name) <= 255:
        why = "'' should be non-empty" if name == "" else f"{name!r} is too long"
        raise invalid("name", name, why)
    if name != name.strip():
        text = "The name must be: printable characters. Can not start or end with whitespace."
        raise api_error(400, f"An invalid 'name' value was provided. {text}")


def _volumes(call: Call, spec: Json, image_id: str) -> list[tuple[Json, Volume]]:
    devices: Sequence[Json] = spec.get("block_device_mapping_v2") or []
    found: list[tuple[Json, Volume]] = []
    roots = [d for d in devices if d.get("boot_index") in (0, "0")]
    if devices and call.site.faults.is_down(call.cloud.name, "block-storage"):
        raise unexpected("cinderclient.exceptions.ClientException")
    for device in devices:
        ident = str(device.get("uuid"))
        if device.get("source_type") == "image" and device.get("destination_type") == "local":
            continue
        if device.get("source_type") != "volume" or device.get("destination_type") != "volume":
            text = "only volumes (and images on local disks) are simulated."
            raise api_error(400, f"Block Device Mapping is Invalid: {text}")
        volume = call.cloud.volumes.get(ident)
        if volume is None or not call.sees(volume.project_id):
            text = f"failed to get volume {ident}."
            raise api_error(400, f"Block Device Mapping is Invalid: {text}")
        if device in roots and not volume.bootable:
            raise api_error(400, f"Block Device {ident} is not bootable.")
        found.append((device, volume))
    if not roots and not image_id:
        text = "Boot sequence for the instance and image/block device mapping combination is not"
        message = f"Block Device Mapping is Invalid: {text} valid."
        raise api_error(400, message if devices else "Missing imageRef attribute")
    return found


def not_reservable(call: Call, volume: Volume, status: str) -> Exception:
    """400 with cinder's refusal inside, as nova passes it on."""
    return api_error(
        400,
        f"Invalid volume: Invalid input received: Invalid volume: Volume {volume.id} status must"
        f" be available or downloading to reserve, but the current status is {status}."
        f" (HTTP 400) (Request-ID: {call.request_id})",
    )


def _check_reservable(call: Call, volumes: Sequence[Volume]) -> None:
    for number, volume in enumerate(volumes):
        if volume.status not in ("available", "downloading"):
            raise not_reservable(call, volume, volume.status)
        if volume in volumes[:number]:
            raise not_reservable(call, volume, "reserved")


def _ports(call: Call, spec: Json) -> list[Port | Json]:
    """The ports asked for, and the wishes for ports that nova has to make."""
    networks = spec.get("networks") or []
    if networks in ("none", "auto"):
        return []
    if call.site.faults.is_down(call.cloud.name, "network"):
        raise unexpected(UNREACHABLE)
    found: list[Port | Json] = []
    for wish in networks:
        if "port" in wish:
            port = free_port(call, wish["port"], 400)
            if port in found:
                text = "you cannot attach a port multiple times."
                raise api_error(400, f"Port ID '{port.id}' was specified twice: {text}")
            found.append(port)
        elif wish.get("uuid") in call.cloud.networks:
            found.append(wish)
        else:
            raise api_error(400, f"Network {wish.get('uuid')} could not be found.")
    return found


def free_port(call: Call, ident: str, status: int) -> Port:
    """A port that a server may take; `status` if there is none, 409 if it is taken."""
    port = call.cloud.ports.get(ident)
    if port is None or not call.sees(port.project_id):
        raise api_error(status, f"Port id {ident} could not be found.")
    promised = any(
        ident in s.ports
        for s in call.cloud.servers.values()
        if s.host is None and s.vm_state == "building"
    )
    if port.device_id or promised:
        raise api_error(409, f"Port {ident} is still in use.")
    if not port.fixed_ips:
        raise api_error(400, f"Port {ident} requires a FixedIP in order to be used.")
    return port


def _take(
    call: Call,
    server: Server,
    volumes: list[tuple[Json, Volume]],
    ports: list[Port | Json],
    spec: Json,
) -> None:
    ordered = sorted(volumes, key=lambda pair: pair[0].get("boot_index") not in (0, "0"))
    for wish, volume in ordered:
        device = BlockDevice(
            volume.id,
            new_id(),
            new_id(),
            server.next_device(),
            boot_index=0 if wish.get("boot_index") in (0, "0") else None,
            delete_on_termination=bool(wish.get("delete_on_termination")),
            tag=wish.get("tag"),
        )
        server.devices.append(device)
        reserve(call.site, call.cloud, server.id, device)
    for item in ports:
        if not isinstance(item, Port):
            network = call.cloud.networks[item["uuid"]]
            wish = {"fixed_ips": [{"ip_address": item["fixed_ip"]}]} if "fixed_ip" in item else {}
            item = new_port(call.cloud, network, call.project_id, call.site.now(), wish)
            server.own_ports.append(item.id)
        server.ports.append(item.id)
