from typing import Any

from django.db import models

from cycloud.core.resources.models import ProviderResource


class VolumeBinding(ProviderResource):
    """Where the bytes of a volume are, and when they may really be deleted. Outlives the Volume.

    ``cluster`` and ``provider_id``: the Cinder that has it (or had it last). ``backend_reference``: the
    object's name in the storage, saved before unmanage. ``created``: once true, there are bytes to lose,
    and no empty volume is ever made in their place. ``saved``: what unmanage forgets (name, metadata,
    image metadata, bootable). ``purge_begun``: the point of no return of a purge; undelete is refused after it.
    """

    kind = "VolumeBinding"

    volume_uid = models.UUIDField(unique=True)
    volume_name = models.CharField(max_length=255)
    project = models.ForeignKey("iam.Project", models.PROTECT, related_name="+")
    provider_type = models.CharField(max_length=255, blank=True)
    cluster = models.ForeignKey(
        "catalog.OpenStackCluster", models.PROTECT, null=True, blank=True, related_name="+"
    )
    provider_id = models.CharField(max_length=64, blank=True)
    backend_reference = models.CharField(max_length=255, blank=True)
    created = models.BooleanField(default=False)
    saved = models.JSONField(default=dict, blank=True)
    # every cluster in which a create or manage was ever begun and absence not yet seen since
    footprint = models.JSONField(default=list, blank=True)
    purge_time = models.DateTimeField(null=True, blank=True, db_index=True)
    purge_begun = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.volume_name} ({self.backend_reference or 'no data yet'})"

    @property
    def name(self) -> str:
        return self.volume_name

    @classmethod
    def in_cluster(cls, cluster: Any) -> models.QuerySet["VolumeBinding"]:
        """Return the rows that mean something of ours in the cluster, or may: the footprint counts."""
        named = models.Q(cluster=cluster)
        return cls._default_manager.filter(named | models.Q(footprint__icontains=str(cluster.uid)))
