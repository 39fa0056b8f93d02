"""Rules for display names, labels and annotations (Kubernetes label syntax)."""

import re
from collections.abc import Mapping
from typing import Any

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["check_annotations", "check_display_name", "check_labels"]

_PREFIX = r"(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?"
_KEY = re.compile(_PREFIX + r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_MAX_LABELS = 64
_MAX_ANNOTATION_BYTES = 256 * 1024


def check_labels(labels: Any) -> dict[str, str]:
    """Return the labels if each key and value has Kubernetes label syntax; raise InvalidArgument else."""
    checked = _texts(labels, "labels")
    if len(checked) > _MAX_LABELS:
        raise InvalidArgument.field(
            "labels", f"at most {_MAX_LABELS} labels; these are {len(checked)}."
        )
    for key, value in checked.items():
        if not _KEY.fullmatch(key) or not _VALUE.fullmatch(value):
            raise InvalidArgument.field(
                "labels",
                f"{key[:80]!r}={value[:80]!r} is not a label. Keys and values have up to 63 letters, digits, "
                "'-', '_' and '.', and begin and end with a letter or digit.",
            )
    return checked


def check_annotations(annotations: Any) -> dict[str, str]:
    """Return the annotations if the keys have label syntax and all is under 256 KiB."""
    checked = _texts(annotations, "annotations")
    for key in checked:
        if not _KEY.fullmatch(key):
            raise InvalidArgument.field("annotations", f"{key[:80]!r} is not an annotation key.")
    if sum(len(k.encode()) + len(v.encode()) for k, v in checked.items()) > _MAX_ANNOTATION_BYTES:
        raise InvalidArgument.field("annotations", "all keys and values together may have 256 KiB.")
    return checked


def check_display_name(value: Any) -> str:
    """Return the name if it is a text of at most 255 printable characters."""
    if not isinstance(value, str) or len(value) > 255 or not value.isprintable():
        raise InvalidArgument.field("display_name", "use up to 255 printable characters.")
    return value


def _texts(value: Any, field: str) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(
        isinstance(k, str) and isinstance(v, str) for k, v in value.items()
    ):
        raise InvalidArgument.field(field, "must be an object whose keys and values are texts.")
    checked = {str(k): str(v) for k, v in value.items()}
    if any("\0" in text or not _encodable(text) for pair in checked.items() for text in pair):
        raise InvalidArgument.field(
            field, "a key or value is not valid Unicode text, or holds NUL."
        )
    return checked


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
