"""Changing what only people read: display name, labels and annotations. No controller acts on them."""

from typing import Protocol

from cycloud.core.aip.masks import MapChange, changed_map
from cycloud.core.resources.metadata import check_annotations, check_display_name, check_labels
from cycloud.core.resources.models import ProjectResource

__all__ = ["MetadataChange", "apply_metadata"]


class MetadataChange(Protocol):
    """The metadata part of an update; None leaves a field as it is."""

    @property
    def display_name(self) -> str | None: ...
    @property
    def labels(self) -> MapChange | None: ...
    @property
    def annotations(self) -> MapChange | None: ...


def apply_metadata(resource: ProjectResource, change: MetadataChange) -> list[str]:
    """Set what ``change`` has on ``resource``, unsaved; return the names of the fields that differ now.

    Raises InvalidArgument naming the wrong field.
    """
    wanted: dict[str, object] = {}
    if change.display_name is not None:
        wanted["display_name"] = check_display_name(change.display_name)
    if change.labels is not None:
        wanted["labels"] = check_labels(changed_map(resource.labels, change.labels))
    if change.annotations is not None:
        annotations = changed_map(resource.annotations, change.annotations)
        wanted["annotations"] = check_annotations(annotations)
    changed = [field for field, value in wanted.items() if getattr(resource, field) != value]
    for field in changed:
        setattr(resource, field, wanted[field])
    return changed
