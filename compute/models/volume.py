from django.db import models

from cycloud.core.resources.models import ProjectResource


class Volume(ProjectResource):
    """A volume as a user declares it. ``size_gib`` grows, never shrinks.

    A deleted volume keeps its row (``delete_time``, ``purge_time``) until its data is purged.
    """

    kind = "Volume"
    collection = "volumes"

    volume_type = models.ForeignKey("catalog.VolumeType", models.PROTECT, related_name="+")
    availability_zone = models.ForeignKey(
        "catalog.AvailabilityZone", models.PROTECT, related_name="+"
    )
    size_gib = models.PositiveIntegerField()
    image = models.ForeignKey(
        "catalog.PublicImage", models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "resource_id"], name="volume_id")]
        indexes = [
            models.Index(fields=["project", "-create_time"], name="volume_list"),
            # what quotas are counted by
            models.Index(fields=["project", "delete_time", "size_gib"], name="volume_quota"),
        ]
