"""Verbs on public images and their ids in the clusters. Operators only."""

from collections.abc import Mapping
from typing import Any

from django.db.models import prefetch_related_objects

from catalog.domain.fields import with_changes
from catalog.domain.public_image import ProviderImageInput, PublicImageInput
from catalog.models import PublicImage, PublicOpenStackImage
from catalog.services.changes import (
    check_new_id,
    delete_resource,
    lock_resource,
    run_change,
    save_changed,
)
from catalog.services.references import clusters_by_id
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor

__all__ = [
    "ProviderImageInput",
    "PublicImageInput",
    "create_public_image",
    "delete_public_image",
    "update_public_image",
]

_DEFAULT = WriteOptions()


def create_public_image(
    *, actor: Actor, resource_id: str, data: PublicImageInput, options: WriteOptions = _DEFAULT
) -> PublicImage:
    """Offer a new image. Raises AlreadyExists, InvalidArgument, PermissionDenied."""

    def write() -> PublicImage:
        check_new_id(PublicImage, resource_id, "public_image_id")
        data.check()
        image = PublicImage.objects.create(
            resource_id=resource_id,
            display_name=data.display_name,
            minimum_gib=data.minimum_gib,
            managed_by=options.manager,
        )
        _save_provider_images(image, data.provider_images)
        return _loaded(image)

    return run_change(
        write,
        actor=actor,
        permission="catalog.publicImages.create",
        method="CreatePublicImage",
        options=options,
    )


def update_public_image(
    *,
    actor: Actor,
    resource_id: str,
    changes: Mapping[str, Any],
    options: WriteOptions = _DEFAULT,
) -> PublicImage:
    """Change the fields of PublicImageInput that ``changes`` names; ``provider_images`` as a whole."""

    def write() -> PublicImage:
        image = lock_resource(PublicImage, resource_id, options)
        data = with_changes(_input_of(image), changes)
        data.check()
        image.display_name = data.display_name
        image.minimum_gib = data.minimum_gib
        save_changed(image)
        if "provider_images" in changes:
            _save_provider_images(image, data.provider_images)
        return _loaded(image)

    return run_change(
        write,
        actor=actor,
        permission="catalog.publicImages.update",
        method="UpdatePublicImage",
        options=options,
        detail={"fields": sorted(changes)},
    )


def delete_public_image(
    *, actor: Actor, resource_id: str, options: WriteOptions = _DEFAULT
) -> PublicImage:
    """Withdraw an image that no volume was made from. Raises FailedPrecondition otherwise."""
    return delete_resource(PublicImage, actor=actor, resource_id=resource_id, options=options)


def _input_of(image: PublicImage) -> PublicImageInput:
    return PublicImageInput(
        minimum_gib=image.minimum_gib,
        display_name=image.display_name,
        provider_images=tuple(
            ProviderImageInput(row.cluster.resource_id, row.provider_id)
            for row in image.provider_images.select_related("cluster")
        ),
    )


def _save_provider_images(image: PublicImage, rows: tuple[ProviderImageInput, ...]) -> None:
    clusters = clusters_by_id((row.cluster for row in rows), "provider_images.cluster")
    image.provider_images.exclude(cluster__in=clusters.values()).delete()
    for row in rows:
        PublicOpenStackImage.objects.update_or_create(
            public_image=image,
            cluster=clusters[row.cluster],
            defaults={"provider_id": row.provider_id},
        )


def _loaded(image: PublicImage) -> PublicImage:
    """Read the relations within the transaction: after a dry run they are gone."""
    prefetch_related_objects([image], "provider_images__cluster")
    return image
