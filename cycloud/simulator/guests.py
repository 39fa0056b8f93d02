"""What nova and its hypervisor do after nova has answered.

Server metadata makes a hypervisor fail or dawdle: `osbed_fail` is a comma list of spawn, power_on,
power_off, destroy, attach, detach ("destroy:1": only once); `osbed_slow` is the seconds that each
of these takes.
"""

from __future__ import annotations

from collections.abc import Iterable

from cycloud.simulator.cloud import Cloud
from cycloud.simulator.models.block_storage import Attachment
from cycloud.simulator.models.compute import (
    NOSTATE,
    RUNNING,
    SHUTDOWN,
    BlockDevice,
    Server,
    ServerFault,
)
from cycloud.simulator.network_ports import bind, drop_port, unbind
from cycloud.simulator.site import Site
from cycloud.simulator.transitions import work

DELETED_KEPT = 500
NO_VALID_HOST = "No valid host was found. "
RETRIES = (
    "Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures"
    " for instance {}."
)


def slowness(server: Server) -> float:
    """Seconds that the hypervisor takes for this server."""
    try:
        return min(float(server.metadata.get("osbed_slow", 0)), 600.0)
    except ValueError:
        return 0.0


def fails(site: Site, cloud: Cloud, server: Server, what: str) -> bool:
    """Whether an operation fails on request; counts it."""
    for wish in server.metadata.get("osbed_fail", "").split(","):
        name, _, times = wish.strip().partition(":")
        count = server.failed.get(what, 0)
        if name == what and (not times.isdigit() or count < int(times)):
            server.failed[what] = count + 1
            site.guest_event(cloud, f"{what}.refused", server.id, [])
            return True
    return False


def images_of(cloud: Cloud, devices: Iterable[BlockDevice]) -> list[str]:
    """Names in the storage of the volumes of some devices."""
    return [
        cloud.volumes[d.volume_id].backend_name for d in devices if d.volume_id in cloud.volumes
    ]


def images_missing(site: Site, cloud: Cloud, server: Server) -> bool:
    """Whether a volume's object is not where it should be: no guest can start from it."""
    return not all(site.storage.exists(n) for n in images_of(cloud, server.devices))


def finish(site: Site, server: Server, request_id: str, *, error: bool = False) -> None:
    """Close the instance action of a request."""
    for record in server.actions:
        if record.request_id == request_id and not record.finished:
            record.finished = True
            record.updated = site.now()
            record.message = "Error" if error else None
    server.updated = site.now()


# -- volumes and ports of a server


def reserve(site: Site, cloud: Cloud, server_id: str, device: BlockDevice) -> None:
    """Tie a volume to a server before it is attached."""
    volume = cloud.volumes[device.volume_id]
    volume.status = "reserved"
    volume.updated = site.now()
    volume.attachments[device.attachment_id] = Attachment(
        device.attachment_id, volume.id, server_id, device=device.device
    )


def connect(site: Site, cloud: Cloud, device: BlockDevice, status: str) -> None:
    """Go on to "attaching" or "attached" (the volume is "in-use" then)."""
    volume = cloud.volumes.get(device.volume_id)
    if volume is None or device.attachment_id not in volume.attachments:
        return
    attachment = volume.attachments[device.attachment_id]
    attachment.status = status
    attachment.device = device.device
    if status == "attached":
        attachment.host_name = cloud.compute_host
        attachment.attached_at = site.now()
    volume.status = "in-use" if status == "attached" else status
    volume.updated = site.now()


def release_volume(site: Site, cloud: Cloud, device: BlockDevice) -> None:
    """End the tie; the volume is "available" again unless another server has it."""
    volume = cloud.volumes.get(device.volume_id)
    if volume is None or volume.attachments.pop(device.attachment_id, None) is None:
        return
    volume.updated = site.now()
    if not volume.attachments and volume.status in ("reserved", "attaching", "in-use", "detaching"):
        volume.status = "available"


def release_volumes(site: Site, cloud: Cloud, server: Server) -> None:
    """End the ties of all devices."""
    for device in server.devices:
        release_volume(site, cloud, device)


def release_ports(cloud: Cloud, server: Server) -> None:
    """Unbind all ports; those that nova made are deleted."""
    for port_id in list(server.ports):
        port = cloud.ports.get(port_id)
        if port is None or port.device_id != server.id:
            continue
        unbind(port)
        if port_id in server.own_ports:
            drop_port(cloud, port)


# -- build


def _fault(site: Site, server: Server, message: str, details: str = "") -> None:
    server.fault = ServerFault(message, site.now(), details)
    server.vm_state, server.task_state = "error", None
    server.updated = site.now()


def ports_usable(cloud: Cloud, server: Server) -> bool:
    """Nova's compute service refuses a port that is gone or whose dns_name is not the hostname."""
    ports = [cloud.ports.get(p) for p in server.ports]
    return all(p is not None and p.dns_name in ("", server.hostname) for p in ports)


def build_failed(site: Site, cloud: Cloud, server: Server, request_id: str) -> None:
    """ERROR after the retries; volumes and ports are free again."""
    release_volumes(site, cloud, server)
    release_ports(cloud, server)
    server.host = None
    text = RETRIES.format(server.id)
    _fault(site, server, text, "nova.exception.MaxRetriesExceeded: " + text)
    finish(site, server, request_id, error=True)


@work("server.schedule")
def schedule(site: Site, cloud: Cloud, server_id: str, request_id: str) -> None:
    """Choose the host, bind ports, attach volumes; NoValidHost leaves volumes reserved."""
    server = cloud.servers.get(server_id)
    if server is None or server.task_state != "scheduling":
        return
    taken = sum(s.flavor.vcpus for s in cloud.servers.values() if s.host)
    if "no_valid_host" in server.planned or taken + server.flavor.vcpus > cloud.host_vcpus:
        _fault(site, server, NO_VALID_HOST, "nova.exception.NoValidHost: " + NO_VALID_HOST)
        finish(site, server, request_id, error=True)
        return
    if not ports_usable(cloud, server):
        build_failed(site, cloud, server, request_id)
        return
    server.host = cloud.compute_host
    for port_id in server.ports:
        port = cloud.ports.get(port_id)
        if port is not None:
            port.device_id, port.device_owner = server.id, "compute:nova"
            port.dns_name = port.dns_name or server.hostname
            bind(port, server.host)
    for device in server.devices:
        connect(site, cloud, device, "attached")
    server.task_state = "spawning"
    server.updated = site.now()
    site.later(cloud, "spawning", "server.spawn", server_id, request_id, delay=slowness(server))


@work("server.spawn")
def spawn(site: Site, cloud: Cloud, server_id: str, request_id: str) -> None:
    """Start the guest; a failure frees volumes and ports and leaves the server in ERROR."""
    server = cloud.servers.get(server_id)
    if server is None or server.task_state != "spawning":
        return
    if (
        "spawn_failed" in server.planned
        or fails(site, cloud, server, "spawn")
        or images_missing(site, cloud, server)
    ):
        build_failed(site, cloud, server, request_id)
        return
    server.vm_state, server.task_state, server.power_state = "active", None, RUNNING
    server.launched_at = site.now()
    site.guest_event(cloud, "spawn", server.id, images_of(cloud, server.devices))
    finish(site, server, request_id)


# -- power


@work("server.stop")
def stop(site: Site, cloud: Cloud, server_id: str, request_id: str) -> None:
    """Power off; a failure shows in the instance action only."""
    server = cloud.servers.get(server_id)
    if server is None or server.task_state != "powering-off":
        return
    server.task_state = None
    if fails(site, cloud, server, "power_off"):
        finish(site, server, request_id, error=True)
        return
    server.vm_state, server.power_state = "stopped", SHUTDOWN
    site.guest_event(cloud, "power_off", server.id, images_of(cloud, server.devices))
    finish(site, server, request_id)


@work("server.start")
def start(site: Site, cloud: Cloud, server_id: str, request_id: str) -> None:
    """Power on; a failure shows in the instance action only."""
    server = cloud.servers.get(server_id)
    if server is None or server.task_state != "powering-on":
        return
    server.task_state = None
    if fails(site, cloud, server, "power_on") or images_missing(site, cloud, server):
        finish(site, server, request_id, error=True)
        return
    server.vm_state, server.power_state = "active", RUNNING
    site.guest_event(cloud, "power_on", server.id, images_of(cloud, server.devices))
    finish(site, server, request_id)


@work("server.reboot")
def reboot(site: Site, cloud: Cloud, server_id: str, request_id: str) -> None:
    """Off and on again."""
    server = cloud.servers.get(server_id)
    if server is None or not (server.task_state or "").startswith("reboot"):
        return
    server.task_state = None
    site.guest_event(cloud, "power_off", server.id, images_of(cloud, server.devices))
    server.vm_state, server.power_state = "active", RUNNING
    site.guest_event(cloud, "power_on", server.id, images_of(cloud, server.devices))
    finish(site, server, request_id)


# -- delete


@work("server.delete")
def delete(site: Site, cloud: Cloud, server_id: str, request_id: str) -> None:
    """Destroy the guest, free what it had.

    A failed destroy leaves ERROR with the ports unbound and the volumes in use, and "deleting" is
    cleared only later. With cinder's API down the volumes stay attached to a server that is gone.
    """
    server = cloud.servers.get(server_id)
    if server is None or server.task_state != "deleting":
        return
    names = images_of(cloud, server.devices)
    release_ports(cloud, server)
    if server.host and fails(site, cloud, server, "destroy"):
        text = "osbed_fail: destroy fails on request"
        _fault(site, server, text)
        server.task_state = "deleting"
        finish(site, server, request_id, error=True)
        site.later(cloud, "deleting", "server.delete_failed", server_id)
        return
    if server.host:
        site.guest_event(cloud, "destroy", server.id, names)
    if not site.faults.is_down(cloud.name, "block-storage"):
        release_volumes(site, cloud, server)
        for device in server.devices:
            volume = cloud.volumes.get(device.volume_id)
            if device.delete_on_termination and volume and volume.status == "available":
                volume.status = "deleting"
                site.later(cloud, "deleting", "volume.delete", volume.id)
    finish(site, server, request_id)
    server.vm_state, server.task_state, server.power_state = "deleted", None, NOSTATE
    server.terminated_at = site.now()
    server.ports = []
    del cloud.servers[server_id]
    cloud.deleted_servers[server_id] = server
    while len(cloud.deleted_servers) > DELETED_KEPT:
        cloud.deleted_servers.pop(next(iter(cloud.deleted_servers)))


@work("server.delete_failed")
def delete_failed(site: Site, cloud: Cloud, server_id: str) -> None:
    """At last the server can be deleted again."""
    server = cloud.servers.get(server_id)
    if server is not None and server.vm_state == "error":
        server.task_state = None


# -- attach and detach


@work("server.attaching")
def attaching(site: Site, cloud: Cloud, server_id: str, volume_id: str, request_id: str) -> None:
    """The hypervisor has begun to attach."""
    server = cloud.servers.get(server_id)
    device = server.device_of(volume_id) if server else None
    if server is None or device is None:
        return
    connect(site, cloud, device, "attaching")
    delay = slowness(server)
    args = (server_id, volume_id, request_id)
    site.later(cloud, "attaching", "server.attach", *args, delay=delay)


@work("server.attach")
def attach(site: Site, cloud: Cloud, server_id: str, volume_id: str, request_id: str) -> None:
    """Attach; a failure frees the volume and shows in the instance action only."""
    server = cloud.servers.get(server_id)
    device = server.device_of(volume_id) if server else None
    if server is None or device is None:
        return
    volume = cloud.volumes.get(volume_id)
    missing = volume is None or not site.storage.exists(volume.backend_name)
    if missing or fails(site, cloud, server, "attach"):
        server.devices.remove(device)
        release_volume(site, cloud, device)
        finish(site, server, request_id, error=True)
        return
    connect(site, cloud, device, "attached")
    site.guest_event(cloud, "attach", server.id, images_of(cloud, [device]))
    finish(site, server, request_id)


@work("server.detach")
def detach(site: Site, cloud: Cloud, server_id: str, volume_id: str, request_id: str) -> None:
    """Detach; a failure leaves the volume in use and shows in the instance action only."""
    server = cloud.servers.get(server_id)
    device = server.device_of(volume_id) if server else None
    if server is None or device is None:
        return
    if fails(site, cloud, server, "detach"):
        if volume_id in cloud.volumes:
            cloud.volumes[volume_id].status = "in-use"
        finish(site, server, request_id, error=True)
        return
    site.guest_event(cloud, "detach", server.id, images_of(cloud, [device]))
    server.devices.remove(device)
    release_volume(site, cloud, device)
    finish(site, server, request_id)


@work("server.detach_port")
def detach_port(site: Site, cloud: Cloud, server_id: str, port_id: str, request_id: str) -> None:
    """Unbind one port."""
    server = cloud.servers.get(server_id)
    port = cloud.ports.get(port_id)
    if server is None:
        return
    if port_id not in server.ports:
        finish(site, server, request_id, error=True)
        return
    server.ports = [p for p in server.ports if p != port_id]
    if port is not None and port.device_id == server_id:
        unbind(port)
        if port_id in server.own_ports:
            drop_port(cloud, port)
    finish(site, server, request_id)
