"""Calls to Cinder. A volume is marked by the metadata key ``cycloud_uid``, by which Cinder can filter."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from cycloud.openstack.client import ManageSpec, VolumeSpec
from cycloud.openstack.connection import CINDER, ClusterConnection, Json
from cycloud.openstack.observations import (
    UID_KEY,
    AttachmentSeen,
    ManageableSeen,
    StorageQuotaSeen,
    VolumeSeen,
)
from cycloud.openstack.servers import free_of

# each page makes Cinder list the whole pool again, so as few pages as the default limit allows
_MANAGEABLE_PAGE_SIZE = 1000


class VolumeCalls:
    """The volume part of a cluster's client; see ``ClusterClient``."""

    _connection: ClusterConnection

    def find_volumes(self, uid: str) -> tuple[VolumeSeen, ...]:
        """Return the volumes marked with ``uid``; more than one after a doubtful answer."""
        found = self._volume_pages("find_volumes", {"metadata": json.dumps({UID_KEY: uid})})
        # filtered again: a cloud may take the filter out (resource_filters.json) and answer everything
        return tuple(volume for volume in found if volume.uid == uid)

    def get_volume(self, volume_id: str) -> VolumeSeen | None:
        """Return the volume, None for 404."""
        answer = self._connection.get_or_none(
            CINDER, "get_volume", f"/volumes/{volume_id}", expect="volume"
        )
        return None if answer is None else volume_seen(answer["volume"])

    def list_volumes(self) -> Iterator[VolumeSeen]:
        """Yield every volume of the project that carries a uid."""
        for volume in self._volume_pages("list_volumes", {}):
            if volume.uid:
                yield volume

    def create_volume(self, spec: VolumeSpec) -> str:
        """Ask for a volume and return its id. Not idempotent: look up by uid before and after."""
        volume: dict[str, Any] = {
            "name": spec.name,
            "size": spec.size_gib,
            "volume_type": spec.volume_type_id,
            "metadata": dict(spec.metadata),
        }
        if spec.image_id:
            volume["imageRef"] = spec.image_id
        answer = self._connection.request(
            CINDER, "create_volume", "POST", "/volumes", body={"volume": volume}, expect="volume"
        )
        return str(answer["volume"]["id"])

    def extend_volume(self, volume_id: str, size_gib: int) -> None:
        """Ask for growth to ``size_gib``, also of a volume in use; INVALID unless it is larger."""
        self._volume_action("extend_volume", volume_id, {"os-extend": {"new_size": size_gib}})

    def set_volume_metadata(self, volume_id: str, metadata: Mapping[str, str]) -> None:
        """Set these keys and keep the others."""
        self._connection.request(
            CINDER,
            "set_volume_metadata",
            "POST",
            f"/volumes/{volume_id}/metadata",
            body={"metadata": dict(metadata)},
        )

    def set_volume_bootable(self, volume_id: str, bootable: bool) -> None:
        """Set whether a server may boot from the volume."""
        self._volume_action(
            "set_volume_bootable", volume_id, {"os-set_bootable": {"bootable": bootable}}
        )

    def set_volume_image_metadata(self, volume_id: str, metadata: Mapping[str, str]) -> None:
        """Set these keys of what Cinder keeps of the image; unmanage forgets all of them."""
        self._volume_action(
            "set_volume_image_metadata",
            volume_id,
            {"os-set_image_metadata": {"metadata": dict(metadata)}},
        )

    def unmanage_volume(self, volume_id: str) -> None:
        """Ask Cinder to forget the volume and keep its bytes.

        CONFLICT for an attached one, one with snapshots, in a group, migrating or already unmanaging.
        """
        self._volume_action("unmanage_volume", volume_id, {"os-unmanage": {}})

    def manage_volume(self, spec: ManageSpec) -> str:
        """Ask Cinder to take in an object of the storage and return the new volume's id.

        Renames the object, also one that another cluster has in use. Not idempotent. A bad reference
        shows later, as status "error" with size 0: clean that up with unmanage, never with delete.
        """
        answer = self._connection.request(
            CINDER,
            "manage_volume",
            "POST",
            "/manageable_volumes",
            body={
                "volume": {
                    "host": spec.host,
                    "ref": {"source-name": spec.reference},
                    "name": spec.name,
                    "volume_type": spec.volume_type_id,
                    "metadata": dict(spec.metadata),
                    "bootable": spec.bootable,
                }
            },
            expect="volume",
        )
        return str(answer["volume"]["id"])

    def delete_volume(self, volume_id: str) -> bool:
        """Ask for deletion of the bytes; False for 404, CONFLICT while in use or with snapshots."""
        return self._connection.delete(CINDER, "delete_volume", f"/volumes/{volume_id}")

    def count_snapshots(self, volume_id: str) -> int:
        """Return how many snapshots the volume has, whoever made them."""
        params = {"volume_id": volume_id, "all_tenants": "1"}
        found = self._connection.pages(
            CINDER, "count_snapshots", "/snapshots/detail", "snapshots", params
        )
        return sum(1 for snapshot in found if snapshot["volume_id"] == volume_id)

    def list_attachments(self, volume_id: str) -> tuple[AttachmentSeen, ...]:
        """Return Cinder's own attachments; one may name a server that is gone."""
        params = {"volume_id": volume_id, "all_tenants": "1"}
        found = self._connection.pages(
            CINDER, "list_attachments", "/attachments", "attachments", params
        )
        return tuple(
            AttachmentSeen(
                id=str(entry["id"]),
                server_id=str(entry.get("instance") or ""),
                volume_id=str(entry["volume_id"]),
            )
            for entry in found
            if entry["volume_id"] == volume_id
        )

    def delete_attachment(self, attachment_id: str) -> bool:
        """Free a volume from a server that is gone; CONFLICT while Nova still knows the attachment."""
        return self._connection.delete(CINDER, "delete_attachment", f"/attachments/{attachment_id}")

    def find_manageable(self, host: str, reference: str) -> ManageableSeen | None:
        """Return the object named ``reference`` of the storage behind ``host``, None without one.

        Every cluster lists all objects of a shared pool: one of another cluster looks safe here.
        """
        params = {
            "host": host,
            "limit": str(_MANAGEABLE_PAGE_SIZE),
            "sort": "reference:asc",
        }
        while True:
            answer = self._connection.request(
                CINDER,
                "find_manageable",
                "GET",
                "/manageable_volumes/detail",
                params=params,
                expect="manageable-volumes",
            )
            entries = answer["manageable-volumes"]
            for entry in entries:
                if entry["reference"].get("source-name") == reference:
                    return manageable_seen(entry)
            if not entries:
                return None
            # the listing has no links; the service may cap a page, so only an empty one is the end
            params = {**params, "marker": json.dumps(entries[-1]["reference"])}

    def storage_quota(self) -> StorageQuotaSeen:
        """Return what is free in the project of the credentials, over all volume types."""
        project_id = self._connection.project_id
        answer = self._connection.request(
            CINDER,
            "storage_quota",
            "GET",
            f"/os-quota-sets/{project_id}",
            params={"usage": "True"},
            expect="quota_set",
        )
        quota = answer["quota_set"]
        return StorageQuotaSeen(volumes=free_of(quota["volumes"]), gib=free_of(quota["gigabytes"]))

    def _volume_action(self, verb: str, volume_id: str, body: Json) -> None:
        self._connection.request(CINDER, verb, "POST", f"/volumes/{volume_id}/action", body=body)

    def _volume_pages(self, verb: str, params: Mapping[str, str]) -> Iterator[VolumeSeen]:
        for volume in self._connection.pages(CINDER, verb, "/volumes/detail", "volumes", params):
            yield volume_seen(volume)


def volume_seen(volume: Json) -> VolumeSeen:
    """Return Cinder's volume as ours."""
    return VolumeSeen(
        id=str(volume["id"]),
        status=str(volume["status"]).lower(),
        size_gib=int(volume.get("size") or 0),
        name=str(volume.get("name") or ""),
        volume_type=str(volume.get("volume_type") or ""),
        host=str(volume.get("os-vol-host-attr:host") or ""),
        bootable=str(volume.get("bootable")).lower() == "true",  # Cinder answers a string
        encrypted=bool(volume.get("encrypted")),
        group_id=volume.get("group_id") or volume.get("consistencygroup_id"),
        migration_status=volume.get("migration_status")
        or volume.get("os-vol-mig-status-attr:migstat"),
        metadata=_strings(volume.get("metadata")),
        image_metadata=_strings(volume.get("volume_image_metadata")),
        attachments=tuple(
            AttachmentSeen(
                id=str(entry.get("attachment_id") or ""),
                server_id=str(entry.get("server_id") or ""),
                volume_id=str(volume["id"]),
            )
            for entry in volume.get("attachments") or ()
        ),
    )


def manageable_seen(entry: Json) -> ManageableSeen:
    """Return an entry of Cinder's manageable listing as ours."""
    return ManageableSeen(
        reference=str(entry["reference"]["source-name"]),
        size_gib=int(entry.get("size") or 0),
        safe_to_manage=bool(entry.get("safe_to_manage")),
        cinder_id=entry.get("cinder_id"),
        reason_not_safe=str(entry.get("reason_not_safe") or ""),
    )


def _strings(metadata: Mapping[str, Any] | None) -> dict[str, str]:
    return {str(key): str(value) for key, value in (metadata or {}).items()}
