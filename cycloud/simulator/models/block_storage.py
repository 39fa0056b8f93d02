"""Cinder's objects."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class VolumeType:
    """A kind of volume; `backend` is the volume_backend_name that can hold it."""

    id: str
    name: str
    backend: str


@dataclass
class Attachment:
    """A volume's tie to a server: reserved, attaching, then attached."""

    id: str
    volume_id: str
    instance: str
    status: str = "reserved"
    host_name: str | None = None
    device: str | None = None
    attached_at: float | None = None


@dataclass
class Volume:
    """A volume record. `size` in GiB; the bytes lie in the storage under `backend_name`."""

    id: str
    project_id: str
    user_id: str
    size: int
    volume_type: str
    host: str
    created: float
    status: str = "creating"
    name: str | None = None
    description: str | None = None
    updated: float | None = None
    availability_zone: str = "nova"
    metadata: dict[str, str] = field(default_factory=dict)
    image_metadata: dict[str, str] = field(default_factory=dict)
    bootable: bool = False
    encrypted: bool = False
    multiattach: bool = False
    group_id: str | None = None
    consistencygroup_id: str | None = None
    migration_status: str | None = None
    replication_status: str | None = None
    snapshot_id: str | None = None
    source_volid: str | None = None
    service_uuid: str | None = None
    shared_targets: bool = True
    previous_status: str = "available"
    attachments: dict[str, Attachment] = field(default_factory=dict)

    @property
    def backend_name(self) -> str:
        """The name of its object in the storage (the default volume_name_template)."""
        return f"volume-{self.id}"

    @property
    def backend(self) -> str:
        """The pool of the storage that its host names (after "#")."""
        return self.host.partition("#")[2] or self.host.partition("@")[2]


@dataclass
class Snapshot:
    """A snapshot record; no bytes are kept for it."""

    id: str
    volume_id: str
    project_id: str
    user_id: str
    size: int
    created: float
    status: str = "creating"
    name: str | None = None
    description: str | None = None
    updated: float | None = None
    metadata: dict[str, str] = field(default_factory=dict)
