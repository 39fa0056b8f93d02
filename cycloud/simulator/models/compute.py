"""Nova's objects."""

from __future__ import annotations

from dataclasses import dataclass, field

NOSTATE, RUNNING, SHUTDOWN = 0, 1, 4
"""Power states, as nova numbers them."""


@dataclass
class Flavor:
    """A size of servers; `ram` in MiB, `disk` in GiB (0: boots from a volume)."""

    id: str
    name: str
    vcpus: int
    ram: int
    disk: int = 0
    extra_specs: dict[str, str] = field(default_factory=dict)
    is_public: bool = True


@dataclass
class BlockDevice:
    """A volume in a server."""

    volume_id: str
    attachment_id: str
    bdm_uuid: str
    device: str
    boot_index: int | None = None
    delete_on_termination: bool = False
    tag: str | None = None


@dataclass
class ActionRecord:
    """What os-instance-actions shows; the only trace of a failed stop or attach."""

    action: str
    request_id: str
    user_id: str
    project_id: str
    started: float
    updated: float
    message: str | None = None
    finished: bool = False


@dataclass
class ServerFault:
    """Why a server is in ERROR."""

    message: str
    created: float
    details: str = ""
    code: int = 500


@dataclass
class Server:
    """A server. `status` follows from vm_state and task_state as in nova."""

    id: str
    number: int
    name: str
    project_id: str
    user_id: str
    flavor: Flavor
    created: float
    updated: float
    metadata: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    description: str | None = None
    hostname: str = ""
    image_id: str = ""
    user_data: str | None = None
    key_name: str | None = None
    config_drive: bool = False
    availability_zone: str | None = None
    vm_state: str = "building"
    task_state: str | None = "scheduling"
    power_state: int = NOSTATE
    host: str | None = None
    launched_at: float | None = None
    terminated_at: float | None = None
    locked: bool = False
    fault: ServerFault | None = None
    ports: list[str] = field(default_factory=list)
    own_ports: list[str] = field(default_factory=list)
    devices: list[BlockDevice] = field(default_factory=list)
    actions: list[ActionRecord] = field(default_factory=list)
    failed: dict[str, int] = field(default_factory=dict)
    planned: set[str] = field(default_factory=set)
    not_yet: int = 0

    @property
    def status(self) -> str:
        """The public status."""
        if self.vm_state == "active" and (self.task_state or "").startswith("reboot"):
            return "HARD_REBOOT" if "hard" in (self.task_state or "") else "REBOOT"
        return {
            "building": "BUILD",
            "active": "ACTIVE",
            "stopped": "SHUTOFF",
            "error": "ERROR",
            "deleted": "DELETED",
        }[self.vm_state]

    def device_of(self, volume_id: str) -> BlockDevice | None:
        """The device of a volume in this server."""
        return next((d for d in self.devices if d.volume_id == volume_id), None)

    def next_device(self) -> str:
        """The first free device name."""
        used = {d.device for d in self.devices}
        letters = "abcdefghijklmnopqrstuvwxyz"
        names = [f"/dev/sd{a}{b}" for a in ["", *letters] for b in letters]
        return next(n for n in names if n not in used)
