from typing import Any

from django.contrib import admin

from catalog.admin.service_admin import ServiceAdmin, ServiceInline, rows_of
from catalog.models import PublicImage, PublicOpenStackImage
from catalog.services.public_images import (
    ProviderImageInput,
    PublicImageInput,
    create_public_image,
    delete_public_image,
    update_public_image,
)
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.pages import HandOver, ManagerFilter


class PublicOpenStackImageInline(ServiceInline):
    model = PublicOpenStackImage
    fields = ("cluster", "provider_id")
    verbose_name = "image of a cluster"
    verbose_name_plural = "Image ids in the clusters"


@admin.register(PublicImage)
class PublicImageAdmin(HandOver, ServiceAdmin):
    """Images that every project may boot from, with each cluster's own id."""

    list_display = ("resource_id", "display_name", "minimum_gib")
    search_fields = ("resource_id", "display_name")
    fields = ("resource_id", "display_name", "minimum_gib", "manager")
    list_filter = (ManagerFilter,)
    actions = ("adopt", "release")
    actions_detail = ("adopt_this", "release_this")
    readonly_fields = ("manager",)
    inlines = (PublicOpenStackImageInline,)
    error_fields = {"public_image_id": "resource_id"}

    def save_form_through(
        self, actor: Actor, obj: Any, form: Any, formsets: list[Any], *, change: bool
    ) -> PublicImage:
        data = PublicImageInput(
            minimum_gib=obj.minimum_gib,
            display_name=obj.display_name,
            provider_images=tuple(
                ProviderImageInput(row.cluster.resource_id, row.provider_id)
                for row in rows_of(formsets, PublicOpenStackImage)
            ),
        )
        if not change:
            return create_public_image(actor=actor, resource_id=obj.resource_id, data=data)
        return update_public_image(actor=actor, resource_id=obj.resource_id, changes=vars(data))

    def delete_through(self, actor: Actor, obj: Any) -> None:
        delete_public_image(actor=actor, resource_id=obj.resource_id)
