"""What cinder does after it has answered."""

from __future__ import annotations

from cycloud.simulator.cloud import Cloud
from cycloud.simulator.models.block_storage import Volume
from cycloud.simulator.site import Site
from cycloud.simulator.storage import GIB, SparseObject
from cycloud.simulator.transitions import work


def _done(site: Site, volume: Volume, status: str) -> None:
    volume.status = status
    volume.updated = site.now()


@work("volume.create")
def create(site: Site, cloud: Cloud, volume_id: str, image_id: str) -> None:
    """Make the object, with the image's bytes if there is one; "error" if the image is gone."""
    volume = cloud.volumes.get(volume_id)
    if volume is None or volume.status != "creating":
        return
    if image_id and not site.image_data.exists(image_id):
        _done(site, volume, "error")
        return
    size = volume.size * GIB
    item = SparseObject(size, volume.backend)
    if image_id:
        data = site.image_data.get(image_id)
        if data.size > size:
            _done(site, volume, "error")
            return
        item = data.copy(size, volume.backend)
        image = cloud.images[image_id]
        volume.bootable = True
        volume.image_metadata = {
            "signature_verified": "False",
            **image.properties,
            "image_id": image.id,
            "image_name": image.name,
            "checksum": image.checksum or "",
            "container_format": image.container_format or "",
            "disk_format": image.disk_format or "",
            "min_disk": str(image.min_disk),
            "min_ram": str(image.min_ram),
            "size": str(image.size),
        }
    site.storage.put(volume.backend_name, item)
    volume.service_uuid = cloud.volume_service_id
    volume.shared_targets = False
    _done(site, volume, "available")


@work("volume.delete")
def delete(site: Site, cloud: Cloud, volume_id: str) -> None:
    """Destroy the object, if it is (still) under the volume's name, and the record."""
    volume = cloud.volumes.pop(volume_id, None)
    if volume is not None and site.storage.exists(volume.backend_name):
        site.storage.delete(volume.backend_name)


@work("volume.extend")
def extend(site: Site, cloud: Cloud, volume_id: str, new_size: str) -> None:
    """Grow the object; "error_extending" if it is not there."""
    volume = cloud.volumes.get(volume_id)
    if volume is None or volume.status != "extending":
        return
    if not site.storage.exists(volume.backend_name):
        _done(site, volume, "error_extending")
        return
    site.storage.resize(volume.backend_name, int(new_size) * GIB)
    volume.size = int(new_size)
    _done(site, volume, volume.previous_status)


@work("volume.unmanage")
def unmanage(site: Site, cloud: Cloud, volume_id: str) -> None:
    """Forget the record; the object keeps its name and bytes."""
    volume = cloud.volumes.get(volume_id)
    if volume is not None and volume.status == "unmanaging":
        del cloud.volumes[volume_id]


@work("volume.manage")
def manage(site: Site, cloud: Cloud, volume_id: str, source_name: str) -> None:
    """Rename the object to the new record's name. Wrong ones end in "error", size 0, no reason."""
    volume = cloud.volumes.get(volume_id)
    if volume is None or volume.status != "creating":
        return
    if "#" not in volume.host:
        volume.host = f"{volume.host}#{volume.backend}"
    kind = next(t for t in cloud.volume_types.values() if t.name == volume.volume_type)
    found = source_name in site.storage.names(volume.backend)
    if not found or kind.backend != volume.backend:
        _done(site, volume, "error")
        return
    site.storage.rename(source_name, volume.backend_name)
    volume.size = -(-site.storage.size(volume.backend_name) // GIB)
    _done(site, volume, "available")


@work("snapshot.create")
def create_snapshot(site: Site, cloud: Cloud, snapshot_id: str) -> None:
    """The snapshot is there."""
    if snapshot_id in cloud.snapshots:
        cloud.snapshots[snapshot_id].status = "available"
        cloud.snapshots[snapshot_id].updated = site.now()


@work("snapshot.delete")
def delete_snapshot(site: Site, cloud: Cloud, snapshot_id: str) -> None:
    """The snapshot is gone."""
    cloud.snapshots.pop(snapshot_id, None)
