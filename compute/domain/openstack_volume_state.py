"""What is wanted and seen of one volume, and the actions that a decision is made of: values only."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cycloud.openstack.observations import VolumeSeen


@dataclass(frozen=True)
class Saved:
    """What unmanage forgets, as seen before it."""

    bootable: bool = False
    image_metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Desired:
    """What is wanted, and what the binding knows of the bytes.

    ``target``, ``home`` and ``footprint`` are cluster keys; ``shared`` are all clusters (not retired) over the
    same storage. ``created``: there are bytes. ``references``: names that the object may have in the storage, the
    likeliest first. ``purge_due``: the purge time has passed (only asked where ``wanted`` is false).
    """

    uid: str
    target: str
    size_gib: int
    wanted: bool = True
    purge_due: bool = False
    home: str = ""
    provider_id: str = ""
    created: bool = False
    references: tuple[str, ...] = ()
    # our own unmanage let the object go under the first of them, and no manage of it has failed since
    released: bool = False
    saved: Saved = field(default_factory=Saved)
    footprint: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    has_image: bool = False
    # whether the volume type has a placement over the same storage in the target
    movable: bool = True
    # why a new volume cannot be made in the target (a sentence), or ""
    cannot_create: str = ""


@dataclass(frozen=True)
class Observed:
    """``volumes``: per cluster looked at, its records of ours; None where it could not be looked at.

    ``snapshots``: number for the record (cluster, id), where it was asked for. ``listed``: the reference that the
    target's storage lists, "" for none, None for not looked. ``orphans``: attachments whose server is gone.
    """

    volumes: Mapping[str, tuple[VolumeSeen, ...] | None]
    snapshots: int | None = None
    listed: str | None = None
    orphans: tuple[str, ...] = ()


@dataclass(frozen=True)
class CreateVolume:
    cluster: str


@dataclass(frozen=True)
class AdoptVolume:
    """Write down where the volume is now (a row, no call). ``has_bytes``: from now on it must not get lost."""

    cluster: str
    volume: VolumeSeen
    has_bytes: bool


@dataclass(frozen=True)
class MarkVolume:
    """Write our uid into the metadata of a record that is ours by its id."""

    cluster: str
    provider_id: str


@dataclass(frozen=True)
class ExtendVolume:
    cluster: str
    provider_id: str
    size_gib: int


@dataclass(frozen=True)
class SetBootable:
    cluster: str
    provider_id: str


@dataclass(frozen=True)
class SetImageMetadata:
    cluster: str
    provider_id: str
    metadata: Mapping[str, str]


@dataclass(frozen=True)
class SaveForMove:
    """Write down what unmanage forgets, with the object's name (a row, no call)."""

    volume: VolumeSeen


@dataclass(frozen=True)
class UnmanageVolume:
    cluster: str
    provider_id: str


@dataclass(frozen=True)
class ManageVolume:
    cluster: str
    reference: str


@dataclass(frozen=True)
class RemoveFailedManage:
    """Unmanage a record in error with size 0, after its possible object name was written down."""

    cluster: str
    provider_id: str
    reference: str


@dataclass(frozen=True)
class DeleteVolume:
    cluster: str
    provider_id: str


@dataclass(frozen=True)
class FreeAttachment:
    """Remove an attachment to a server that no longer exists."""

    cluster: str
    attachment_id: str


@dataclass(frozen=True)
class ForgetClusters:
    """Take clusters that were seen without the volume out of the footprint (a row, no call)."""

    clusters: frozenset[str]


@dataclass(frozen=True)
class Purged:
    """The bytes are gone for good: the rows may go (no call)."""


Action = (
    CreateVolume
    | AdoptVolume
    | MarkVolume
    | ExtendVolume
    | SetBootable
    | SetImageMetadata
    | SaveForMove
    | UnmanageVolume
    | ManageVolume
    | RemoveFailedManage
    | DeleteVolume
    | FreeAttachment
    | ForgetClusters
    | Purged
)
