"""Naming the fields of an object in what services refuse: they know a request's fields, and people write manifests."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from cycloud.core.aip.errors import CycloudError, FieldViolation

__all__ = ["METADATA", "about_field", "object_fields"]

# what objects of all kinds have
METADATA: Mapping[str, str] = {
    "labels": "metadata.labels",
    "annotations": "metadata.annotations",
    "display_name": "spec.displayName",
}


@contextmanager
def object_fields(paths: Mapping[str, str]) -> Iterator[None]:
    """Let errors from within name fields as the object has them.

    ``paths``: the services' word for a field to its path in the object, such as ``memory_mib`` to
    ``spec.memoryInfo.sizeBytes``; one stands for what is inside of it too, so that ``ssh_public_keys`` is enough for
    ``ssh_public_keys[1]``. Fields that are not in it keep their names: they are the object's already.
    """
    try:
        yield
    except CycloudError as error:
        for violation in error.violations:
            head = f"{violation.field}: "
            if error.message.startswith(head):
                text = error.message.removeprefix(head)
                error.message = f"{_path(violation.field, paths)}: {text}"
                break
        error.message = _in_words(error.message, paths)
        error.violations = tuple(
            replace(
                violation,
                field=_path(violation.field, paths),
                description=_in_words(violation.description, paths),
            )
            for violation in error.violations
        )
        raise


@contextmanager
def about_field(path: str, *reasons: str) -> Iterator[None]:
    """Let an error from within that names no field be about this one; it stays the error that it is.

    With ``reasons`` only an error of one of these.
    """
    try:
        yield
    except CycloudError as error:
        if not error.violations and (not reasons or error.reason in reasons):
            error.violations = (FieldViolation(path, error.message, error.reason),)
        raise


def _path(field: str, paths: Mapping[str, str]) -> str:
    if field in paths:
        return paths[field]
    around = [name for name in paths if field.startswith((f"{name}.", f"{name}["))]
    if not around:
        return field
    longest = max(around, key=len)
    return paths[longest] + field.removeprefix(longest)


def _in_words(text: str, paths: Mapping[str, str]) -> str:
    """Replace the services' names of other fields within a sentence: only those that are no words of the language."""
    names = [name for name in paths if "_" in name]
    if not names:
        return text
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<![\w.\]])({words})(?!\w)", lambda match: paths[match[1]], text)
