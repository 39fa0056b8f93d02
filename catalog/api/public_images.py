"""REST: public images. Everybody reads them without their ids in the clusters, operators write."""

from typing import Any

from django.db.models import QuerySet

from catalog.api.common import CatalogCollection, common_fields, identity
from catalog.selectors.catalog import PublicImage, get_public_image, list_public_images
from catalog.services.public_images import (
    ProviderImageInput,
    PublicImageInput,
    create_public_image,
    delete_public_image,
    update_public_image,
)
from cycloud.catalog.v1 import public_image_pb2
from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Json, Result
from cycloud.core.aip.quantities import format_gib
from cycloud.core.iam.actor import Actor


class PublicImages(CatalogCollection[PublicImage]):
    name = "publicImages"
    kind = PublicImage.kind
    message = public_image_pb2.PublicImage.DESCRIPTOR.full_name
    id_parameter = "public_image_id"
    list_key = "public_images"
    updatable = frozenset({"display_name", "minimum_size", "provider_images"})
    output_only = frozenset({"managed_by"})

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[PublicImage]:
        return list_public_images()

    def find(self, call: Call, resource_id: str) -> PublicImage:
        return get_public_image(resource_id)

    def to_json(self, resource: PublicImage, actor: Actor) -> Json:
        answer: Json = {
            **common_fields(resource),
            "minimum_size": format_gib(resource.minimum_gib),
        }
        if actor.is_operator:
            answer["managed_by"] = resource.managed_by
            answer["provider_images"] = [
                {"cluster": row.cluster.resource_id, "provider_id": row.provider_id}
                for row in resource.provider_images.all()
            ]
        return answer

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[PublicImage]:
        data = PublicImageInput(**_values(body))
        body.finish()
        return create_public_image(
            actor=call.actor,
            resource_id=identity(self, resource_id),
            data=data,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[PublicImage]:
        changes = _values(body)
        body.finish()
        return update_public_image(
            actor=call.actor, resource_id=resource_id, changes=changes, options=call.options
        )

    def delete(self, call: Call, resource_id: str) -> Result[PublicImage]:
        delete_public_image(actor=call.actor, resource_id=resource_id, options=call.options)
        return None


def _values(body: Body) -> dict[str, Any]:
    """Read the fields that are there; the input has defaults for the others."""
    values: dict[str, Any] = {}
    if body.has("display_name"):
        values["display_name"] = body.text("display_name", "")
    if body.has("minimum_size"):
        values["minimum_gib"] = body.gib("minimum_size")
    if body.has("provider_images"):
        images = []
        for item in body.objects("provider_images"):
            images.append(ProviderImageInput(item.text("cluster"), item.text("provider_id")))
            item.finish()
        values["provider_images"] = tuple(images)
    return values
