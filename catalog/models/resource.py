import uuid
from typing import ClassVar

from django.db import models


class CatalogResource(models.Model):
    """What every resource that operators offer has in common. ``revision`` grows with every change."""

    kind: ClassVar[str]
    collection: ClassVar[str]

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    resource_id = models.CharField(max_length=63, unique=True)
    display_name = models.CharField(max_length=255, blank=True)
    # the object elsewhere that it is written in, and only there; empty: the API's
    managed_by = models.CharField(max_length=255, blank=True, editable=False)
    revision = models.BigIntegerField(default=1, editable=False)
    create_time = models.DateTimeField(auto_now_add=True)
    update_time = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.resource_id

    @property
    def name(self) -> str:
        """The full resource name, for example ``instanceTypes/m8a.medium``."""
        return f"{self.collection}/{self.resource_id}"

    @property
    def etag(self) -> str:
        """AIP-154: changes with every stored change."""
        return f'"{self.uid.hex[:8]}-{self.revision}"'
