"""Volumes as they are to exist in clusters, as custom resources for operators."""

from collections.abc import Collection, Iterator
from uuid import UUID

from django.db.models import QuerySet

from compute.kubernetes.apis import OPENSTACK_VOLUME, VOLUME_BINDING
from compute.models import OpenStackVolume, Volume
from cycloud.core.aip.quantities import format_gib
from cycloud.kubernetes.kinds import Manifest, Owner
from cycloud.kubernetes.row_kinds import RowKind, cluster_reference, is_settled, object_name

__all__ = ["OpenStackVolumes"]


class OpenStackVolumes(RowKind[OpenStackVolume]):
    api = OPENSTACK_VOLUME
    row_kind = OpenStackVolume.kind
    collection = Volume.collection
    names_clusters = True

    def every(self) -> QuerySet[OpenStackVolume]:
        return OpenStackVolume.objects.all()

    def name(self, row: OpenStackVolume) -> str:
        return row.name

    def manifest(self, row: OpenStackVolume) -> Manifest:
        volume = object_name(row.name)
        return Manifest(
            uid=row.uid,
            spec={
                "volumeName": volume,
                "computeCluster": cluster_reference(row.cluster.resource_id),
                "volumeType": row.volume_type.resource_id,
                "image": row.image.resource_id if row.image is not None else None,
                "size": format_gib(row.size_gib),
                "wanted": row.wanted,
            },
            status={
                "providerID": row.provider_id,
                "providerState": row.provider_state,
                "blockers": list(row.blockers),
            },
            conditions=row.condition_list(),
            settled=is_settled(row),
            deleting=not row.wanted,
            owner=Owner(VOLUME_BINDING.kind, volume),
        )

    def manifests(self, names: Collection[str]) -> dict[str, Manifest]:
        rows = OpenStackVolume.objects.select_related("binding", "cluster", "volume_type", "image")
        rows = rows.filter(binding__volume_name__in=names).order_by("pk")
        return {row.name: self.manifest(row) for row in rows}

    def names(self) -> Iterator[str]:
        yield from self.every().values_list("binding__volume_name", flat=True).iterator()

    def names_of(self, uids: Collection[UUID]) -> dict[UUID, str]:
        rows = self.every().filter(uid__in=uids)
        return dict(rows.values_list("uid", "binding__volume_name"))
