from typing import Any

from django.db import models
from django.db.models import QuerySet

from cycloud.core.resources.models import Reconciled


class OpenStackSubnet(Reconciled):
    """A subnet in one cluster: the provider's own network and subnet ids.

    ``managed``: made by the controllers (and found again by our uid); otherwise an operator wrote the ids.
    """

    subnet = models.ForeignKey("networking.Subnet", models.CASCADE, related_name="provider_subnets")
    cluster = models.ForeignKey("catalog.OpenStackCluster", models.PROTECT, related_name="+")
    managed = models.BooleanField(default=False)
    provider_network_id = models.CharField(max_length=64, blank=True)
    provider_subnet_id = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name = "OpenStack subnet"
        verbose_name_plural = "OpenStack subnets"
        constraints = [
            models.UniqueConstraint(fields=["subnet", "cluster"], name="openstack_subnet_cluster")
        ]

    def __str__(self) -> str:
        return f"{self.subnet} in {self.cluster}"

    @classmethod
    def in_cluster(cls, cluster: Any) -> QuerySet["OpenStackSubnet"]:
        """Return the rows that mean something of ours in the cluster: networks that controllers made."""
        return cls._default_manager.filter(cluster=cluster, managed=True)
