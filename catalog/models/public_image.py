from django.db import models

from catalog.models.resource import CatalogResource


class PublicImage(CatalogResource):
    """An image that every project may boot from. ``minimum_gib``: the smallest root volume for it."""

    kind = "PublicImage"
    collection = "publicImages"
    minimum_gib = models.PositiveIntegerField("minimum size (GiB)", default=1)

    class Meta:
        ordering = ["resource_id"]


class PublicOpenStackImage(models.Model):
    """The image in one cluster, by that cluster's own id."""

    public_image = models.ForeignKey(
        "catalog.PublicImage", models.CASCADE, related_name="provider_images"
    )
    cluster = models.ForeignKey("catalog.OpenStackCluster", models.PROTECT, related_name="+")
    provider_id = models.CharField(max_length=255)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["public_image", "cluster"], name="public_image_cluster")
        ]

    def __str__(self) -> str:
        return f"{self.public_image} in {self.cluster}"
