from typing import Any

from django.db import models

from cycloud.core.resources.models import ProviderResource


class OpenStackInstance(ProviderResource):
    """The server of an instance as it is to exist in one cluster. Made only by controllers.

    Spec: cluster, flavor, run, power, and ``next_cluster``/``next_flavor`` where the declared type differs
    from the running one (what a preflight looks at). ``footprint``: clusters in which a server may exist.
    """

    kind = "OpenStackInstance"

    instance = models.OneToOneField(
        "compute.Instance", models.CASCADE, related_name="provider_instance"
    )
    cluster = models.ForeignKey("catalog.OpenStackCluster", models.PROTECT, related_name="+")
    flavor_id = models.CharField(max_length=255)
    # the generation of the instance that this spec was written for
    instance_generation = models.BigIntegerField(default=0)
    run = models.BigIntegerField(default=1)
    running = models.BooleanField(default=True)
    wanted = models.BooleanField(default=True)
    next_cluster = models.ForeignKey(
        "catalog.OpenStackCluster", models.PROTECT, null=True, blank=True, related_name="+"
    )
    next_flavor_id = models.CharField(max_length=255, blank=True)
    footprint = models.JSONField(default=list, blank=True)
    # status
    server_id = models.CharField(max_length=64, blank=True)
    server_cluster = models.ForeignKey(
        "catalog.OpenStackCluster", models.PROTECT, null=True, blank=True, related_name="+"
    )
    server_status = models.CharField(max_length=32, blank=True)
    # the provider's own words about the last fault: operators see it, users a cleaned form
    fault_text = models.TextField(blank=True)

    class Meta:
        verbose_name = "OpenStack instance"
        verbose_name_plural = "OpenStack instances"

    def __str__(self) -> str:
        return f"{self.instance} in {self.cluster}"

    @property
    def name(self) -> str:
        return self.instance.name

    @classmethod
    def in_cluster(cls, cluster: Any) -> models.QuerySet["OpenStackInstance"]:
        """Return the rows that mean something of ours in the cluster, or may: the footprint counts."""
        named = (
            models.Q(cluster=cluster)
            | models.Q(server_cluster=cluster)
            | models.Q(next_cluster=cluster)
        )
        return cls._default_manager.filter(named | models.Q(footprint__icontains=str(cluster.uid)))
