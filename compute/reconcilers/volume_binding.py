"""When the bytes of a deleted volume may go: not before the purge time, whatever clock is wrong."""

from django.db import connection
from django.db.models.functions import Now

from compute.models import OpenStackVolume, Volume, VolumeBinding
from compute.reconcilers.wakeups import wake_openstack_volume
from cycloud.core.clock import now
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome

__all__ = ["VolumeBindingController"]


class VolumeBindingController:
    """Key: uid of the VolumeBinding."""

    name = "volume_binding"

    def reconcile(self, work: Work) -> Outcome:
        with work.publishing():
            # undelete locks the same row: one of the two comes first, and the other sees it
            binding = (
                VolumeBinding.objects.select_for_update(of=("self",))
                .select_related("project")
                .filter(uid=work.key)
                .first()
            )
            if binding is None or binding.purge_time is None:
                return Done()
            volume = Volume.objects.filter(uid=binding.volume_uid).first()
            if volume is not None and volume.delete_time is None:
                return Done()
            if not _has_passed(binding):
                return Done(recheck=binding.purge_time)
            if binding.purge_begun is None:
                binding.purge_begun = now()
                binding.save(update_fields=["purge_begun", "update_time"])
            self._purge(binding, volume)
        return Done()

    @staticmethod
    def _purge(binding: VolumeBinding, volume: Volume | None) -> None:
        row = (
            OpenStackVolume.objects.select_related("cluster", "binding__project")
            .filter(binding=binding)
            .first()
        )
        if row is None:
            if volume is not None:
                volume.delete()
            binding.delete()
            return
        if row.wanted:
            row.wanted = False
            row.generation += 1
            row.revision += 1
            row.save(update_fields=["wanted", "generation", "revision", "update_time"])
        wake_openstack_volume(row)


def _has_passed(binding: VolumeBinding) -> bool:
    """Whether the purge time has passed by this worker's clock and by the database server's."""
    if binding.purge_time is None or now() < binding.purge_time:
        return False
    if connection.vendor != "postgresql":
        return True
    return VolumeBinding.objects.filter(pk=binding.pk, purge_time__lte=Now()).exists()
