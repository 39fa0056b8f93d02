from typing import Any

from django.db import models

from cycloud.core.resources.models import ProviderResource


class OpenStackNetworkInterface(ProviderResource):
    """The port of a network interface as it is to exist in one cluster. Made only by controllers."""

    kind = "OpenStackNetworkInterface"

    network_interface = models.OneToOneField(
        "networking.NetworkInterface", models.CASCADE, related_name="provider_interface"
    )
    cluster = models.ForeignKey("catalog.OpenStackCluster", models.PROTECT, related_name="+")
    wanted = models.BooleanField(default=True)
    footprint = models.JSONField(default=list, blank=True)
    # status
    port_id = models.CharField(max_length=64, blank=True)
    port_status = models.CharField(max_length=32, blank=True)

    class Meta:
        verbose_name = "OpenStack network interface"
        verbose_name_plural = "OpenStack network interfaces"

    def __str__(self) -> str:
        return f"{self.network_interface} in {self.cluster}"

    @property
    def name(self) -> str:
        return self.network_interface.name

    @classmethod
    def in_cluster(cls, cluster: Any) -> models.QuerySet["OpenStackNetworkInterface"]:
        """Return the rows that mean something of ours in the cluster, or may: the footprint counts."""
        named = models.Q(cluster=cluster)
        return cls._default_manager.filter(named | models.Q(footprint__icontains=str(cluster.uid)))
