from django.db import models

from cycloud.core.resources.models import ProviderResource


class OpenStackVolume(ProviderResource):
    """A volume as it is to exist in one cluster. Made only by controllers; owned by its binding.

    Spec: the cluster wanted, size, or ``wanted`` false (purge). Status fields hold what was seen last, for people
    and for checks that a request makes before it asks OpenStack for anything (``blockers``).
    """

    kind = "OpenStackVolume"

    binding = models.OneToOneField(
        "compute.VolumeBinding", models.CASCADE, related_name="provider_volume"
    )
    cluster = models.ForeignKey("catalog.OpenStackCluster", models.PROTECT, related_name="+")
    volume_type = models.ForeignKey("catalog.VolumeType", models.PROTECT, related_name="+")
    image = models.ForeignKey(
        "catalog.PublicImage", models.PROTECT, null=True, blank=True, related_name="+"
    )
    size_gib = models.PositiveIntegerField()
    wanted = models.BooleanField(default=True)
    # status
    provider_id = models.CharField(max_length=64, blank=True)
    provider_state = models.CharField(max_length=32, blank=True)
    # reasons why the volume could not be moved now, as seen last: ["snapshots", "encrypted", "group", "migrating"]
    blockers = models.JSONField(default=list, blank=True)

    class Meta:
        verbose_name = "OpenStack volume"
        verbose_name_plural = "OpenStack volumes"

    def __str__(self) -> str:
        return f"{self.binding.volume_name} in {self.cluster}"

    @property
    def name(self) -> str:
        return self.binding.volume_name
