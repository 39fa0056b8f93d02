"""Glance's objects."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Image:
    """An image record; its bytes lie in the site's image store under the id."""

    id: str
    name: str
    owner: str
    created: float
    updated: float
    status: str = "queued"
    disk_format: str | None = None
    container_format: str | None = None
    visibility: str = "shared"
    size: int | None = None
    checksum: str | None = None
    hash_value: str | None = None
    min_disk: int = 0
    min_ram: int = 0
    protected: bool = False
    hidden: bool = False
    tags: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
