"""What was seen in a cluster. Pure values; no SDK type leaves ``cycloud.openstack``.

Sizes in GiB. An object that is not there is ``None``; what could not be looked at raises ProviderFault,
which a reconciler turns into "unknown" (see ``compute.domain.observed``).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

# every provider object of ours carries the uid of its interface resource under this key
UID_KEY = "cycloud_uid"
# on servers: which run (start) and which flavor they were made for
RUN_KEY = "cycloud_run"
FLAVOR_KEY = "cycloud_flavor"


@dataclass(frozen=True)
class ServerSeen:
    """A Nova server. ``volume_ids``: Cinder ids attached."""

    id: str
    status: str  # BUILD ACTIVE SHUTOFF ERROR ... (upper case as Nova's)
    task_state: str | None = None
    vm_state: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    volume_ids: tuple[str, ...] = ()
    fault: str = ""
    fault_code: int = 0
    create_time: datetime | None = None

    @property
    def uid(self) -> str:
        return self.metadata.get(UID_KEY, "")


@dataclass(frozen=True)
class ServerActionSeen:
    """An entry of os-instance-actions: the only trace of a failed stop or attach."""

    action: str
    message: str  # "" or "Error"
    request_id: str
    start_time: datetime | None = None


@dataclass(frozen=True)
class AttachmentSeen:
    """A Cinder attachment. ``server_id`` may name a server that no longer exists."""

    id: str
    server_id: str
    volume_id: str = ""


@dataclass(frozen=True)
class VolumeSeen:
    """A Cinder volume (status in lower case: available, in-use, creating, error, unmanaging ...)."""

    id: str
    status: str
    size_gib: int
    name: str = ""
    volume_type: str = ""  # the type's name as Cinder shows it
    host: str = ""
    bootable: bool = False
    encrypted: bool = False
    group_id: str | None = None
    migration_status: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    image_metadata: Mapping[str, str] = field(default_factory=dict)
    attachments: tuple[AttachmentSeen, ...] = ()

    @property
    def uid(self) -> str:
        return self.metadata.get(UID_KEY, "")

    @property
    def backend_reference(self) -> str:
        """The object's name in the storage: Cinder's default volume_name_template."""
        return f"volume-{self.id}"


@dataclass(frozen=True)
class PortSeen:
    """A Neutron port; its description is ``cycloud:<uid>``."""

    id: str
    uid: str
    network_id: str
    ip_address: str
    mac_address: str
    device_id: str = ""
    status: str = ""
    vif_type: str = ""


@dataclass(frozen=True)
class NetworkSeen:
    id: str
    uid: str


@dataclass(frozen=True)
class SubnetSeen:
    id: str
    uid: str
    network_id: str
    cidr: str


@dataclass(frozen=True)
class FlavorSeen:
    id: str
    vcpus: int
    memory_mib: int


@dataclass(frozen=True)
class ComputeQuotaSeen:
    """Free amounts in the project; None means no limit."""

    instances: int | None
    vcpus: int | None
    memory_mib: int | None


@dataclass(frozen=True)
class StorageQuotaSeen:
    """Free amounts in the project; None means no limit."""

    volumes: int | None
    gib: int | None


@dataclass(frozen=True)
class ManageableSeen:
    """An object in the storage as Cinder lists it under manageable_volumes (of every cluster that shares it)."""

    reference: str  # source-name
    size_gib: int
    safe_to_manage: bool
    cinder_id: str | None = None
    reason_not_safe: str = ""


@dataclass(frozen=True)
class ImageSeen:
    id: str
    status: str
    min_disk_gib: int = 0
