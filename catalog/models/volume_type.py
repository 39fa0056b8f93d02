from django.db import models

from catalog.models.resource import CatalogResource


class VolumeType(CatalogResource):
    """A kind of volume. Sizes in GiB; ``retention_seconds`` is how long deleted data can be brought back."""

    kind = "VolumeType"
    collection = "volumeTypes"
    minimum_gib = models.PositiveIntegerField("minimum (GiB)", default=1)
    maximum_gib = models.PositiveIntegerField("maximum (GiB)", default=16384)
    granularity_gib = models.PositiveIntegerField("granularity (GiB)", default=1)
    retention_seconds = models.PositiveIntegerField("retention (seconds)", default=7 * 24 * 3600)

    class Meta:
        ordering = ["resource_id"]


class VolumePlacement(models.Model):
    """A volume type in one cluster: its own type id there, and the storage behind it.

    Volumes move only between placements of one type with the same ``provider_type`` (the storage backend).
    ``backend_host`` is Cinder's "host@backend#pool", which manage needs.
    """

    volume_type = models.ForeignKey("catalog.VolumeType", models.CASCADE, related_name="placements")
    cluster = models.ForeignKey(
        "catalog.OpenStackCluster", models.PROTECT, related_name="volume_placements"
    )
    provider_id = models.CharField(max_length=255)
    provider_type = models.CharField(max_length=255)
    backend_host = models.CharField(max_length=255)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["volume_type", "cluster"], name="volume_placement_cluster"
            )
        ]

    def __str__(self) -> str:
        return f"{self.volume_type} in {self.cluster}"
