from django.db import models

from catalog.models.resource import CatalogResource


class InstanceFamily(CatalogResource):
    """A hardware generation, for example ``m8a``."""

    kind = "InstanceFamily"
    collection = "instanceFamilies"

    class Meta:
        ordering = ["resource_id"]
        verbose_name_plural = "instance families"


class InstanceType(CatalogResource):
    """A size of a family, for example ``m8a.medium``."""

    kind = "InstanceType"
    collection = "instanceTypes"
    family = models.ForeignKey("catalog.InstanceFamily", models.PROTECT, related_name="types")
    vcpus = models.PositiveIntegerField("vCPUs")
    memory_mib = models.PositiveIntegerField("memory (MiB)")

    class Meta:
        ordering = ["resource_id"]


class InstancePlacement(models.Model):
    """Where instances of a type are made in a zone: the cluster and its own flavor id."""

    instance_type = models.ForeignKey(
        "catalog.InstanceType", models.CASCADE, related_name="placements"
    )
    availability_zone = models.ForeignKey(
        "catalog.AvailabilityZone", models.PROTECT, related_name="+"
    )
    cluster = models.ForeignKey("catalog.OpenStackCluster", models.PROTECT, related_name="+")
    provider_id = models.CharField(max_length=255)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["instance_type", "availability_zone"], name="instance_placement_zone"
            )
        ]

    def __str__(self) -> str:
        return f"{self.instance_type} in {self.availability_zone}"
