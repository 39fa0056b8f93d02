"""What is wanted and seen of one server, and the actions that a decision is made of: values only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cycloud.core.conditions import Condition
from cycloud.openstack.observations import ServerSeen


@dataclass(frozen=True)
class Part:
    """A volume or port that the server needs. ``blocked``: it will not get ready by itself."""

    name: str
    provider_id: str
    ready: bool
    message: str = ""
    blocked: bool = False

    @property
    def port_id(self) -> str:
        return self.provider_id


@dataclass(frozen=True)
class Blocker:
    """Why a move or change of type cannot be done: a sentence that names the volume, or the cause."""

    message: str
    volume_name: str = ""


@dataclass(frozen=True)
class Desired:
    """``target`` and ``footprint`` are cluster keys; ``volumes[0]`` is the root volume.

    ``unwanted_*``: provider ids of our volumes and ports that belong to no instance or another one now.
    ``change_pending``: the declared type differs from that of this run. ``last_failure``: what to keep showing
    while a failed create is tried again. ``failure_of`` turns a server's fault into a condition.
    """

    target: str
    flavor_id: str
    run: int
    running: bool
    volumes: tuple[Part, ...]
    ports: tuple[Part, ...]
    wanted: bool = True
    server_id: str = ""
    footprint: frozenset[str] = frozenset()
    unwanted_volumes: frozenset[str] = frozenset()
    unwanted_ports: frozenset[str] = frozenset()
    change_pending: bool = False
    last_failure: Condition | None = None
    failure_of: Callable[[ServerSeen], Condition] | None = None


@dataclass(frozen=True)
class Observed:
    """``servers``: per cluster looked at, None where it could not be. ``port_ids``: of the server in the target.

    ``blockers``: what would refuse the move, None for not looked. ``last_failed_action``: the newest entry of the
    server's actions if that one failed, else "".
    """

    servers: Mapping[str, tuple[ServerSeen, ...] | None]
    port_ids: tuple[str, ...] | None = None
    blockers: tuple[Blocker, ...] | None = None
    last_failed_action: str = ""


@dataclass(frozen=True)
class CreateServer:
    cluster: str


@dataclass(frozen=True)
class DeleteServer:
    cluster: str
    server_id: str


@dataclass(frozen=True)
class StopServer:
    cluster: str
    server_id: str


@dataclass(frozen=True)
class StartServer:
    cluster: str
    server_id: str


@dataclass(frozen=True)
class SetRun:
    """Note on the server which start it was started for."""

    cluster: str
    server_id: str
    run: int


@dataclass(frozen=True)
class AttachVolume:
    cluster: str
    server_id: str
    volume_id: str


@dataclass(frozen=True)
class DetachVolume:
    cluster: str
    server_id: str
    volume_id: str


@dataclass(frozen=True)
class AttachPort:
    cluster: str
    server_id: str
    port_id: str


@dataclass(frozen=True)
class DetachPort:
    cluster: str
    server_id: str
    port_id: str


@dataclass(frozen=True)
class RecordServer:
    """Write down the server's id and state (a row, no call)."""

    cluster: str
    server: ServerSeen


@dataclass(frozen=True)
class ForgetClusters:
    """Take clusters that were seen without a server out of the footprint (a row, no call)."""

    clusters: frozenset[str]


@dataclass(frozen=True)
class ServerGone:
    """No cluster has a server any more: the row may go."""


Action = (
    CreateServer
    | DeleteServer
    | StopServer
    | StartServer
    | SetRun
    | AttachVolume
    | DetachVolume
    | AttachPort
    | DetachPort
    | RecordServer
    | ForgetClusters
    | ServerGone
)
