"""Where the bytes of volumes are, as custom resources for operators; kept until the bytes are purged."""

from collections.abc import Collection, Iterator
from uuid import UUID

from django.db.models import QuerySet

from compute.kubernetes.apis import VOLUME_BINDING
from compute.models import Volume, VolumeBinding
from cycloud.kubernetes.kinds import Manifest
from cycloud.kubernetes.objects import time_text
from cycloud.kubernetes.row_kinds import RowKind, cluster_reference, is_settled, object_name

__all__ = ["VolumeBindings"]


class VolumeBindings(RowKind[VolumeBinding]):
    api = VOLUME_BINDING
    row_kind = VolumeBinding.kind
    collection = Volume.collection
    names_clusters = True

    def every(self) -> QuerySet[VolumeBinding]:
        return VolumeBinding.objects.all()

    def name(self, row: VolumeBinding) -> str:
        return row.volume_name

    def manifest(self, row: VolumeBinding) -> Manifest:
        purge_time, begun = row.purge_time, row.purge_begun
        return Manifest(
            uid=row.uid,
            spec={
                "volumeName": object_name(row.volume_name),
                "volumeUID": str(row.volume_uid),
                "providerType": row.provider_type,
                "computeCluster": cluster_reference(
                    row.cluster.resource_id if row.cluster else None
                ),
                "providerID": row.provider_id,
                "backendReference": row.backend_reference,
            },
            status={
                "purgeTime": time_text(purge_time) if purge_time is not None else None,
                "purgeBegun": time_text(begun) if begun is not None else None,
                "created": row.created,
            },
            conditions=row.condition_list(),
            settled=is_settled(row),
            deleting=begun is not None,
        )

    def manifests(self, names: Collection[str]) -> dict[str, Manifest]:
        rows = VolumeBinding.objects.select_related("cluster").filter(volume_name__in=names)
        # should there be two of a name for a moment, the later one
        return {row.volume_name: self.manifest(row) for row in rows.order_by("pk")}

    def names(self) -> Iterator[str]:
        yield from self.every().values_list("volume_name", flat=True).iterator()

    def names_of(self, uids: Collection[UUID]) -> dict[UUID, str]:
        return dict(self.every().filter(uid__in=uids).values_list("uid", "volume_name"))
