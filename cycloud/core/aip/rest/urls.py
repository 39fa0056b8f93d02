"""The paths of a collection (AIP-122): plain, with an id, and with a custom method after a colon."""

from typing import Any

from django.urls import URLPattern, re_path

from cycloud.core.aip.collection import Collection
from cycloud.core.aip.rest.views import CollectionView, MemberView

__all__ = ["collection_urls"]


def collection_urls(collection: Collection[Any]) -> list[URLPattern]:
    """Return the paths of ``collection``, to be included below ``/v1/``."""
    parent = r"projects/(?P<project_id>[^/:]+)/" if collection.in_project else ""
    base = rf"^{parent}{collection.name}"
    return [
        re_path(rf"{base}\Z", CollectionView.as_view(collection=collection)),
        re_path(
            rf"{base}/(?P<resource_id>[^/:]+)(?::(?P<verb>[A-Za-z]+))?\Z",
            MemberView.as_view(collection=collection),
        ),
    ]
