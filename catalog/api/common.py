"""What the catalog's collections have in common."""

from typing import TypeVar

from catalog.selectors.catalog import (
    AvailabilityZone,
    InstanceFamily,
    InstanceType,
    PublicImage,
    VolumeType,
)
from catalog.selectors.clusters import OpenStackCluster
from cycloud.core.aip.collection import Collection, Json
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.filters import Field, Kind
from cycloud.core.aip.representation import time_text

__all__ = ["CatalogCollection", "common_fields", "identity"]

R = TypeVar(
    "R",
    AvailabilityZone,
    InstanceFamily,
    InstanceType,
    VolumeType,
    PublicImage,
    OpenStackCluster,
)


class CatalogCollection(Collection[R]):
    """A collection outside projects, whose writes are done at once and answer the resource."""

    in_project = False
    remembers_requests = False
    filters = {
        "name": Field("resource_id", Kind.NAME),
        "display_name": Field("display_name"),
        "create_time": Field("create_time", Kind.TIME),
    }
    default_order = ("resource_id",)


def common_fields(resource: R) -> Json:
    return {
        "name": resource.name,
        "uid": str(resource.uid),
        "display_name": resource.display_name,
        "etag": resource.etag,
        "create_time": time_text(resource.create_time),
        "update_time": time_text(resource.update_time),
    }


def identity(collection: CatalogCollection[R], resource_id: str | None) -> str:
    """Return the id that the operator chose; the catalog makes none up."""
    if not resource_id:
        raise InvalidArgument.field(
            collection.id_parameter, "is missing; it is required.", "REQUIRED"
        )
    return resource_id
