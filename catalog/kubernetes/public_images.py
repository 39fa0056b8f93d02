"""PublicImage: an image, and which one it is in which cluster."""

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import QuerySet

from catalog.kubernetes.apis import PUBLIC_IMAGE
from catalog.kubernetes.catalog_kind import CatalogKind
from catalog.kubernetes.cluster_references import check_clusters, cluster_reference, read_cluster
from catalog.models import PublicImage
from catalog.selectors.catalog import list_public_images
from catalog.services.public_images import (
    ProviderImageInput,
    PublicImageInput,
    create_public_image,
    delete_public_image,
    update_public_image,
)
from cycloud.core.aip.body import Body
from cycloud.core.aip.quantities import format_gib
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.fields import object_fields
from cycloud.kubernetes.kinds import Json

__all__ = ["PublicImageKind"]

_IMAGES: Final = "spec.images"


class PublicImageKind(CatalogKind[PublicImage, PublicImageInput]):
    api = PUBLIC_IMAGE
    row_kind = PublicImage.kind
    collection = PublicImage.collection
    fields = {
        "public_image_id": "metadata.name",
        "minimum_gib": "spec.minimumSize",
        "provider_images": _IMAGES,
    }

    def rows(self) -> QuerySet[PublicImage]:
        return list_public_images()

    def spec_of(self, row: PublicImage) -> Json:
        images = [
            {"computeCluster": cluster_reference(image.cluster), "providerID": image.provider_id}
            for image in row.provider_images.all()
        ]
        return {
            "displayName": row.display_name,
            "minimumSize": format_gib(row.minimum_gib),
            "images": sorted(images, key=lambda item: str(item["computeCluster"]["name"])),
        }

    def read(self, spec: Body, resource_id: str) -> PublicImageInput:
        return PublicImageInput(
            minimum_gib=spec.gib("minimumSize", PublicImageInput.minimum_gib),
            display_name=spec.text("displayName", ""),
            provider_images=tuple(
                ProviderImageInput(cluster=read_cluster(item), provider_id=item.text("providerID"))
                for item in spec.objects("images")
            ),
        )

    def check(self, wanted: PublicImageInput) -> None:
        for index, image in enumerate(wanted.provider_images):
            with object_fields({"provider_images.provider_id": f"{_IMAGES}[{index}].providerID"}):
                PublicImageInput(provider_images=(image,)).check()
        check_clusters(wanted.provider_images, _IMAGES)

    def create(
        self, actor: Actor, resource_id: str, wanted: PublicImageInput, options: WriteOptions
    ) -> None:
        create_public_image(actor=actor, resource_id=resource_id, data=wanted, options=options)

    def update(
        self,
        actor: Actor,
        row: PublicImage,
        wanted: PublicImageInput,
        changes: Mapping[str, Any],
        options: WriteOptions,
    ) -> None:
        update_public_image(
            actor=actor, resource_id=row.resource_id, changes=changes, options=options
        )

    def delete(self, actor: Actor, resource_id: str, options: WriteOptions) -> None:
        delete_public_image(actor=actor, resource_id=resource_id, options=options)
