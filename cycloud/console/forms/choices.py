"""Choices of forms that depend on the zone; the browser hides those of another zone."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import forms

from catalog.selectors.catalog import (
    list_availability_zones,
    list_instance_types,
    list_public_images,
    list_volume_types,
    zones_of_instance_type,
    zones_of_volume_type,
)
from compute.selectors.volumes import list_volumes
from cycloud.console.page import ProjectPage
from cycloud.console.templatetags.console import memory
from networking.selectors.networks import list_network_interfaces, list_subnets

__all__ = [
    "Choice",
    "ZoneSelect",
    "fill",
    "free_interfaces",
    "free_volumes",
    "images",
    "instance_types",
    "subnets",
    "volume_types",
    "zones",
]


@dataclass(frozen=True)
class Choice:
    """``zones``: where it can be chosen; None: anywhere."""

    value: str
    label: str
    zones: tuple[str, ...] | None = None


class ZoneSelect(forms.Select):
    """A select whose options name their zones, for static/console/console.js."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs)
        self.zones: dict[str, tuple[str, ...]] = {}

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(*args, **kwargs)
        zones = self.zones.get(str(option["value"]))
        if zones is not None:
            option["attrs"]["data-zones"] = " ".join(zones)
        return option


def fill(field: forms.Field, choices: Iterable[Choice], empty: str | None = None) -> None:
    """Give a ChoiceField its choices, with a first one of no value labelled ``empty``."""
    assert isinstance(field, forms.ChoiceField)
    known = list(choices)
    first = [] if empty is None else [("", empty)]
    field.choices = [*first, *((choice.value, choice.label) for choice in known)]
    if isinstance(field.widget, ZoneSelect):
        field.widget.zones = {c.value: c.zones for c in known if c.zones is not None}


def zones() -> list[Choice]:
    return [
        Choice(zone.resource_id, _labelled(zone.resource_id, zone.display_name))
        for zone in list_availability_zones()
    ]


def instance_types() -> list[Choice]:
    """By family and size: by name, ``large`` would be the first, and so what the form proposes."""
    rows = sorted(
        list_instance_types(),
        key=lambda kind: (kind.family.resource_id, kind.vcpus, kind.memory_mib, kind.resource_id),
    )
    return [
        Choice(
            kind.resource_id,
            f"{kind.resource_id} ({kind.vcpus} vCPU, {memory(kind.memory_mib)})",
            tuple(zones_of_instance_type(kind)),
        )
        for kind in rows
    ]


def volume_types() -> list[Choice]:
    return [
        Choice(
            kind.resource_id,
            f"{_labelled(kind.resource_id, kind.display_name)}, {kind.minimum_gib} to "
            f"{kind.maximum_gib} GiB",
            tuple(zones_of_volume_type(kind)),
        )
        for kind in list_volume_types()
    ]


def images() -> list[Choice]:
    return [
        Choice(
            image.resource_id,
            f"{_labelled(image.resource_id, image.display_name)}, from {image.minimum_gib} GiB",
        )
        for image in list_public_images()
    ]


def subnets(page: ProjectPage) -> list[Choice]:
    return [
        Choice(
            row.resource_id, f"{row.resource_id} ({row.cidr})", (row.availability_zone.resource_id,)
        )
        for row in list_subnets(actor=page.actor, project_id=page.project_id)
    ]


def free_volumes(page: ProjectPage) -> list[Choice]:
    """The volumes that no instance has."""
    rows = list_volumes(actor=page.actor, project_id=page.project_id)
    return [
        Choice(
            row.resource_id,
            f"{_labelled(row.resource_id, row.display_name)}, {row.size_gib} GiB",
            (row.availability_zone.resource_id,),
        )
        for row in rows.filter(attachment__isnull=True)
    ]


def free_interfaces(page: ProjectPage) -> list[Choice]:
    """The network interfaces that no instance has."""
    rows = list_network_interfaces(actor=page.actor, project_id=page.project_id)
    return [
        Choice(
            row.resource_id,
            f"{row.ip_address} ({row.resource_id})",
            (row.subnet.availability_zone.resource_id,),
        )
        for row in rows.filter(attachment__isnull=True, delete_time__isnull=True)
    ]


def _labelled(resource_id: str, display_name: str) -> str:
    return f"{resource_id}, {display_name}" if display_name else resource_id
