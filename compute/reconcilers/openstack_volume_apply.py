"""One action on a volume: one call, or one row written under the lease."""

from typing import Any

from catalog.reconcilers.provider_pass import client_of
from compute.domain.openstack_volume_state import (
    Action,
    AdoptVolume,
    CreateVolume,
    DeleteVolume,
    ExtendVolume,
    ForgetClusters,
    FreeAttachment,
    ManageVolume,
    MarkVolume,
    Purged,
    RemoveFailedManage,
    SaveForMove,
    SetBootable,
    SetImageMetadata,
    UnmanageVolume,
)
from compute.models import Volume
from compute.reconcilers.openstack_volume_load import VolumeState
from cycloud.core.aip.operations import end_operations
from cycloud.core.changes.record import record_gone
from cycloud.core.reconcile.leases import Work
from cycloud.openstack.client import ClusterClient, ManageSpec, VolumeSpec
from cycloud.openstack.observations import UID_KEY, VolumeSeen

__all__ = ["VolumeActions"]


class VolumeActions:
    """Applies a plan's actions. No action looks at a state: the decision did."""

    def __init__(self, work: Work, state: VolumeState) -> None:
        self._work = work
        self._state = state
        self.purged = False

    def _client(self, cluster: str) -> ClusterClient:
        return client_of(self._state.clusters[cluster])

    def _save(self, **fields: Any) -> None:
        """Write fields of the binding, if the lease is still ours."""
        binding = self._state.binding
        with self._work.publishing():
            for field, value in fields.items():
                setattr(binding, field, value)
            binding.save(update_fields=[*fields, "update_time"])

    def _remember(self, cluster: str) -> None:
        """Write down that the cluster may have the volume from now on, before it is asked for it."""
        footprint = self._state.binding.footprint
        if cluster not in footprint:
            self._save(footprint=sorted({*footprint, cluster}))

    def apply(self, action: Action) -> None:
        """Carry out one action. Raises ProviderFault or LeaseLost."""
        match action:
            case CreateVolume(cluster):
                self._create(cluster)
            case ManageVolume(cluster, reference):
                self._manage(cluster, reference)
            case AdoptVolume(cluster, volume, has_bytes):
                self._adopt(cluster, volume, has_bytes)
            case SaveForMove(volume):
                self._save_for_move(volume)
            case RemoveFailedManage(cluster, provider_id, reference):
                self._remove_failed_manage(cluster, provider_id, reference)
            case MarkVolume(cluster, provider_id):
                self._client(cluster).set_volume_metadata(provider_id, self._metadata())
            case ExtendVolume(cluster, provider_id, size_gib):
                self._client(cluster).extend_volume(provider_id, size_gib)
            case SetBootable(cluster, provider_id):
                self._client(cluster).set_volume_bootable(provider_id, True)
            case SetImageMetadata(cluster, provider_id, metadata):
                self._client(cluster).set_volume_image_metadata(provider_id, metadata)
            case UnmanageVolume(cluster, provider_id):
                self._client(cluster).unmanage_volume(provider_id)
            case DeleteVolume(cluster, provider_id):
                self._client(cluster).delete_volume(provider_id)
            case FreeAttachment(cluster, attachment_id):
                self._client(cluster).delete_attachment(attachment_id)
            case ForgetClusters(clusters):
                self._save(footprint=sorted(set(self._state.binding.footprint) - clusters))
            case Purged():
                self._purge()

    def _metadata(self) -> dict[str, str]:
        return {UID_KEY: str(self._state.binding.volume_uid)}

    def _provider_name(self) -> str:
        return self._state.binding.volume_name.rsplit("/", 1)[-1]

    def _create(self, cluster: str) -> None:
        state = self._state
        self._remember(cluster)
        placement = state.placement
        self._client(cluster).create_volume(
            VolumeSpec(
                name=self._provider_name(),
                size_gib=state.row.size_gib,
                volume_type_id=placement.provider_id if placement is not None else "",
                metadata=self._metadata(),
                image_id=state.image_id,
            )
        )

    def _manage(self, cluster: str, reference: str) -> None:
        placement = self._state.placement
        assert placement is not None  # decide saw the object through its host
        self._remember(cluster)
        saved = self._state.binding.saved
        self._client(cluster).manage_volume(
            ManageSpec(
                reference=reference,
                host=placement.backend_host,
                name=self._provider_name(),
                volume_type_id=placement.provider_id,
                metadata={**saved.get("metadata", {}), **self._metadata()},
                bootable=bool(saved.get("bootable", False)),
            )
        )

    def _adopt(self, cluster: str, volume: VolumeSeen, has_bytes: bool) -> None:
        binding, state = self._state.binding, self._state
        fields: dict[str, Any] = {
            "cluster": state.clusters[cluster],
            "provider_id": volume.id,
            "backend_reference": volume.backend_reference,
            "created": binding.created or has_bytes,
            "footprint": sorted({*binding.footprint, cluster}),
        }
        if binding.saved.get("released"):
            fields["saved"] = {**binding.saved, "released": False}
        if state.placement is not None and not binding.provider_type:
            fields["provider_type"] = state.placement.provider_type
        self._save(**fields)

    def _save_for_move(self, volume: VolumeSeen) -> None:
        saved = {
            **self._state.binding.saved,
            "name": volume.name,
            "volume_type": volume.volume_type,
            "bootable": volume.bootable,
            "metadata": dict(volume.metadata),
            "image_metadata": dict(volume.image_metadata),
            "references": [volume.backend_reference],
            "released": True,
        }
        self._save(saved=saved, backend_reference=volume.backend_reference)

    def _remove_failed_manage(self, cluster: str, provider_id: str, reference: str) -> None:
        saved = self._state.binding.saved
        references = saved.get("references", [])
        if reference not in references:
            # the storage may have renamed the object before the manage failed
            references = [*references, reference]
        self._save(saved={**saved, "references": references, "released": False})
        self._client(cluster).unmanage_volume(provider_id)

    def _purge(self) -> None:
        binding = self._state.binding
        with self._work.publishing():
            volume = Volume.objects.filter(uid=binding.volume_uid).first()
            if volume is not None:
                end_operations(volume.uid, volume.generation, (), gone=True)
                record_gone(kind=Volume.kind, uid=volume.uid, project_id=volume.project_id)
                volume.delete()
            binding.delete()
        self.purged = True
