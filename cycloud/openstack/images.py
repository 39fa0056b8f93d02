"""Calls to Glance."""

from cycloud.openstack.connection import GLANCE, ClusterConnection
from cycloud.openstack.observations import ImageSeen


class ImageCalls:
    """The image part of a cluster's client; see ``ClusterClient``."""

    _connection: ClusterConnection

    def get_image(self, image_id: str) -> ImageSeen | None:
        """Return the image, None for 404."""
        image = self._connection.get_or_none(
            GLANCE, "get_image", f"/images/{image_id}", expect="id"
        )
        if image is None:
            return None
        return ImageSeen(
            id=str(image["id"]),
            status=str(image["status"]),
            min_disk_gib=int(image.get("min_disk") or 0),
        )
