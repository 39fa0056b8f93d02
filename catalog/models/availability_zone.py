from catalog.models.resource import CatalogResource


class AvailabilityZone(CatalogResource):
    """A failure domain that users choose, for example ``apne1a``. Its clusters are never shown."""

    kind = "AvailabilityZone"
    collection = "availabilityZones"

    class Meta:
        ordering = ["resource_id"]
