"""What a new cloud has: users, flavors, volume types, an image. Ids differ per cloud."""

from __future__ import annotations

import hashlib
import uuid
from functools import cache

from cycloud.simulator.cloud import EPOXY, HIBISCUS, Cloud, new_id
from cycloud.simulator.models.block_storage import VolumeType
from cycloud.simulator.models.compute import Flavor
from cycloud.simulator.models.identity import Project, User
from cycloud.simulator.models.image import Image
from cycloud.simulator.storage import CHUNK, SparseObject

SIZES = {"small": (1, 1024), "medium": (2, 4096), "large": (4, 8192)}
"""vCPUs and MiB."""

IMAGE_NAME = "ubuntu-24.04"
IMAGE_SIZE = 4 * 1024 * 1024


@cache
def image_object() -> SparseObject:
    """4 MiB that are always the same and nowhere alike; copy it, so that clouds share chunks."""
    seed = hashlib.sha256(IMAGE_NAME.encode()).digest()
    chunks = {
        index: hashlib.shake_256(seed + index.to_bytes(4, "big")).digest(CHUNK)
        for index in range(IMAGE_SIZE // CHUNK)
    }
    return SparseObject(IMAGE_SIZE, "glance", chunks)


@cache
def _image_digests() -> tuple[str, str]:
    data = image_object().read(0, IMAGE_SIZE)
    return hashlib.md5(data, usedforsecurity=False).hexdigest(), hashlib.sha512(data).hexdigest()


def new_cloud(name: str, position: int, now: float) -> Cloud:
    """Cloud number `position` (0 = "a"): an older release first, families m7a, m8a, ..."""
    cloud = Cloud(name, EPOXY if position == 0 else HIBISCUS, users=_users())
    for size, (vcpus, ram) in SIZES.items():
        flavor = Flavor(new_id(), f"m{7 + position}a.{size}", vcpus, ram)
        cloud.flavors[flavor.id] = flavor
    for backend in ("shared", "fast"):
        kind = VolumeType(new_id(), backend, backend)
        cloud.volume_types[kind.id] = kind
    checksum, hash_value = _image_digests()
    image = Image(
        new_id(),
        IMAGE_NAME,
        cloud.project_id,
        now,
        now,
        status="active",
        disk_format="raw",
        container_format="bare",
        visibility="public",
        size=IMAGE_SIZE,
        checksum=checksum,
        hash_value=hash_value,
    )
    cloud.images[image.id] = image
    return cloud


def _users() -> dict[str, User]:
    roles = {"cycloud": ("admin", "member", "reader"), "demo": ("member", "reader")}
    return {
        name: User(uuid.uuid4().hex, name, Project(uuid.uuid4().hex, name), held)
        for name, held in roles.items()
    }
