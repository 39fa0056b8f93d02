"""Turning objects of one version into another (the conversion webhook).

Every kind has one stored version, the hub; each other version knows how to come from it and go back to it. A later
version is one more entry in ``CONVERSIONS``. Both ways must lose nothing: the API server converts an object back and
forth with every write, and what is lost once is lost for good. What a version cannot say is kept in an annotation.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.webhooks.volume_versions import (
    VOLUME_GROUP,
    volume_to_v1,
    volume_to_v1alpha1,
)

__all__ = ["CONVERSIONS", "ConversionRefused", "Spoke", "Versions", "convert"]

# spec and annotations of an object, without the rest, which no version may change
Convert = Callable[[Json], Json]


class ConversionRefused(Exception):
    """An object that cannot be had in that version; the text names it."""


@dataclass(frozen=True)
class Spoke:
    """One version beside the hub. The functions get and return ``{"spec": ..., "annotations": ...}``."""

    to_hub: Convert
    from_hub: Convert


@dataclass(frozen=True)
class Versions:
    """The versions of one kind: ``hub`` is the stored one."""

    hub: str
    spokes: Mapping[str, Spoke]


CONVERSIONS: Mapping[tuple[str, str], Versions] = {
    (VOLUME_GROUP, "Volume"): Versions(
        hub="v1", spokes={"v1alpha1": Spoke(volume_to_v1, volume_to_v1alpha1)}
    )
}


def convert(
    objects: Sequence[Json],
    desired_api_version: str,
    conversions: Mapping[tuple[str, str], Versions] = CONVERSIONS,
) -> list[Json]:
    """Return the objects in the desired version, in the same order; nothing else of them differs.

    Raises ConversionRefused for a kind or a version that is not in ``conversions``.
    """
    return [_convert(item, desired_api_version, conversions) for item in objects]


def _convert(
    item: Json, desired_api_version: str, conversions: Mapping[tuple[str, str], Versions]
) -> Json:
    present = str(item.get("apiVersion"))
    if present == desired_api_version:
        return item
    group, _, version = present.rpartition("/")
    desired_group, _, desired = desired_api_version.rpartition("/")
    kind = str(item.get("kind"))
    versions = conversions.get((group, kind))
    if versions is None or group != desired_group:
        raise ConversionRefused(
            f"{_called(item)}: {kind[:80]} of {present[:120]} cannot be had in {desired_api_version[:120]}: "
            "Cycloud has no versions of it. Is the definition of a later Cycloud installed?"
        )
    metadata = dict(_object_in(item, "metadata"))
    parts: Json = {
        "spec": dict(_object_in(item, "spec")),
        "annotations": dict(_object_in(metadata, "annotations")),
    }
    if version != versions.hub:
        parts = _spoke(item, versions, version).to_hub(parts)
    if desired != versions.hub:
        parts = _spoke(item, versions, desired).from_hub(parts)
    metadata.pop("annotations", None)
    if parts["annotations"]:
        metadata["annotations"] = parts["annotations"]
    converted = {**item, "apiVersion": desired_api_version, "metadata": metadata}
    if "spec" in item:
        converted["spec"] = parts["spec"]
    return converted


def _spoke(item: Json, versions: Versions, version: str) -> Spoke:
    spoke = versions.spokes.get(version)
    if spoke is None:
        there = ", ".join([versions.hub, *versions.spokes])
        raise ConversionRefused(
            f"{_called(item)}: {str(item.get('kind'))[:80]} has no version {version[:80]!r}. There are: {there}."
        )
    return spoke


def _object_in(parent: Json, key: str) -> Json:
    found = parent.get(key)
    return found if isinstance(found, dict) else {}


def _called(item: Json) -> str:
    metadata = _object_in(item, "metadata")
    namespace, name = metadata.get("namespace"), metadata.get("name")
    return f"{namespace}/{name}" if namespace else str(name)
