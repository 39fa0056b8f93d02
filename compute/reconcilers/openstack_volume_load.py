"""Reads what is wanted of one volume: its rows, the clusters that could hold it, and where it may go."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import cached_property

from catalog.selectors.clusters import OpenStackCluster, clusters_by_uid, clusters_sharing
from catalog.selectors.placements import VolumePlacement, image_in_cluster, volume_placement
from compute.domain.openstack_volume_state import Desired, Saved
from compute.models import OpenStackInstance, OpenStackVolume, VolumeBinding
from compute.selectors.provider_rows import instance_of_volume
from cycloud.core.clock import now

__all__ = ["VolumeState", "load"]


@dataclass
class VolumeState:
    """One pass: the rows, the clusters that could hold the volume, and where it may go."""

    row: OpenStackVolume
    clusters: dict[str, OpenStackCluster]
    shared: frozenset[str]
    placement: VolumePlacement | None
    image_id: str
    time: datetime

    @property
    def binding(self) -> VolumeBinding:
        return self.row.binding

    @cached_property
    def instance(self) -> OpenStackInstance | None:
        """The server row of the instance that the volume is attached to, if there is one."""
        return instance_of_volume(self.binding.volume_uid)

    @property
    def target(self) -> str:
        return str(self.row.cluster.uid)

    @property
    def home(self) -> str:
        home = self.binding.cluster
        return str(home.uid) if home is not None and str(home.uid) in self.clusters else ""

    @property
    def cannot_create(self) -> str:
        """Why a new volume could not be made in the target: a hole in the catalog."""
        if self.placement is None:
            return "The volume type is not offered where the volume is to be made."
        if self.row.image is not None and not self.image_id:
            return f"The image {self.row.image.resource_id} is not offered where the volume is to be made."
        return ""

    def desired(self) -> Desired:
        binding = self.binding
        references = [binding.backend_reference, *binding.saved.get("references", [])]
        return Desired(
            uid=str(binding.volume_uid),
            target=self.target,
            size_gib=self.row.size_gib,
            wanted=self.row.wanted,
            purge_due=binding.purge_time is not None and binding.purge_time <= self.time,
            home=self.home,
            provider_id=binding.provider_id,
            created=binding.created,
            references=tuple(r for r in references if r),
            released=bool(binding.saved.get("released", False)),
            saved=Saved(
                bootable=binding.saved.get("bootable", False),
                image_metadata=binding.saved.get("image_metadata", {}),
            ),
            footprint=frozenset(binding.footprint) & frozenset(self.clusters),
            shared=self.shared,
            has_image=self.row.image_id is not None,
            cannot_create=self.cannot_create,
            movable=self.placement is not None
            and (
                not binding.provider_type or self.placement.provider_type == binding.provider_type
            ),
        )


def load(key: str) -> VolumeState | None:
    """Return the pass for the row with that uid, or None if it is gone."""
    row = (
        OpenStackVolume.objects.select_related(
            "cluster", "volume_type", "image", "binding__project", "binding__cluster"
        )
        .filter(uid=key)
        .first()
    )
    if row is None:
        return None
    placement = volume_placement(row.volume_type, row.cluster)
    provider_type = row.binding.provider_type or (placement.provider_type if placement else "")
    sharing = clusters_sharing(provider_type) if provider_type else []
    clusters = {str(c.uid): c for c in sharing}
    named = {*row.binding.footprint, str(row.cluster.uid)}
    if row.binding.cluster is not None:
        named.add(str(row.binding.cluster.uid))
    clusters.update(clusters_by_uid(named - clusters.keys()))
    image_id = image_in_cluster(row.image, row.cluster) if row.image is not None else None
    shared = frozenset(str(c.uid) for c in sharing)
    return VolumeState(row, clusters, shared, placement, image_id or "", now())
