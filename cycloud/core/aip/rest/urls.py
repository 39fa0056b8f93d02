"""The paths of a collection (AIP-122): plain, with an id, and with a custom method after a colon."""

from typing import Any

from django.urls import URLPattern, re_path

from cycloud.core.aip.collection import Collection
from cycloud.core.aip.rest.views import CollectionView, MemberView
from cycloud.core.aip.rest.watch import WatchView
from cycloud.core.aip.watch import is_watched

__all__ = ["collection_urls", "verb_path"]


def collection_urls(collection: Collection[Any]) -> list[URLPattern]:
    """Return the paths of ``collection``, to be included below ``/v1/``."""
    base = _base(collection)
    watch = [re_path(rf"{base}:watch\Z", WatchView.as_view(collection=collection))]
    return [
        *(watch if is_watched(collection) else []),
        re_path(rf"{base}\Z", CollectionView.as_view(collection=collection)),
        re_path(
            rf"{base}/(?P<resource_id>[^/:]+)(?::(?P<verb>[A-Za-z]+))?\Z",
            MemberView.as_view(collection=collection),
        ),
    ]


def verb_path(collection: Collection[Any], verb: str) -> str:
    """Return the pattern of one custom method of ``collection``, for one that has a view of its own."""
    return rf"{_base(collection)}/(?P<resource_id>[^/:]+):(?P<verb>{verb})\Z"


def _base(collection: Collection[Any]) -> str:
    parent = r"projects/(?P<project_id>[^/:]+)/" if collection.in_project else ""
    if collection.within:
        parent += rf"{collection.within}/(?P<parent_id>[^/:]+)/"
    return rf"^{parent}{collection.name}"
