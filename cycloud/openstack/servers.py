"""Calls to Nova.

A server is marked twice: by the metadata key ``cycloud_uid``, which observations carry, and by the tag
``cycloud:<uid>``, by which it is found. Nova refuses to filter a listing by metadata
(400 "Invalid filter field: metadata", 2025.1 and 2026.2), so a tag is the only key of ours it can look up.
"""

import base64
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from cycloud.openstack.client import ServerSpec
from cycloud.openstack.connection import NOVA, ClusterConnection, Json
from cycloud.openstack.observations import (
    UID_KEY,
    ComputeQuotaSeen,
    FlavorSeen,
    ServerActionSeen,
    ServerSeen,
)

MARK = "cycloud"


def mark_of(uid: str) -> str:
    """Return the tag (Nova) or description (Neutron) that marks an object as made for ``uid``."""
    return f"{MARK}:{uid}"


def uid_of_mark(mark: str) -> str:
    """Return the uid of a tag or description, "" where it is not a mark of ours."""
    prefix = f"{MARK}:"
    return mark[len(prefix) :] if mark.startswith(prefix) else ""


class ServerCalls:
    """The server part of a cluster's client; see ``ClusterClient``."""

    _connection: ClusterConnection

    def find_servers(self, uid: str) -> tuple[ServerSeen, ...]:
        """Return the servers marked with ``uid``; more than one after a doubtful answer to a create."""
        found = self._server_pages("find_servers", {"tags": mark_of(uid)})
        # filtered again: a service in front of Nova may have dropped the filter unseen
        return tuple(self._with_fault(server) for server in found if server.uid == uid)

    def _with_fault(self, server: ServerSeen) -> ServerSeen:
        """Fetch alone a server in ERROR whose listing has no fault.

        Nova's listing leaves out the faults of servers that no host took (they are in cell0): of all
        failures the one that a user must be told, "No valid host was found".
        """
        if server.status != "ERROR" or server.fault:
            return server
        return self.get_server(server.id) or server

    def get_server(self, server_id: str) -> ServerSeen | None:
        """Return the server, None for 404."""
        answer = self._connection.get_or_none(
            NOVA, "get_server", f"/servers/{server_id}", expect="server"
        )
        return None if answer is None else server_seen(answer["server"])

    def list_servers(self) -> Iterator[ServerSeen]:
        """Yield every server of the project that carries a uid."""
        for server in self._server_pages("list_servers", {}):
            if server.uid:
                yield server

    def list_server_actions(self, server_id: str) -> tuple[ServerActionSeen, ...]:
        """Return what was done to the server, newest first; () for 404."""
        answer = self._connection.get_or_none(
            NOVA,
            "list_server_actions",
            f"/servers/{server_id}/os-instance-actions",
            expect="instanceActions",
        )
        if answer is None:
            return ()
        return tuple(
            ServerActionSeen(
                action=str(entry["action"]),
                message=str(entry.get("message") or ""),
                request_id=str(entry["request_id"]),
                start_time=_time(entry.get("start_time")),
            )
            for entry in answer["instanceActions"]
        )

    def create_server(self, spec: ServerSpec) -> str:
        """Ask for a server and return its id. Not idempotent: look up by uid before and after."""
        server: dict[str, Any] = {
            "name": spec.name,
            "flavorRef": spec.flavor_id,
            "block_device_mapping_v2": [
                {
                    "uuid": volume_id,
                    "source_type": "volume",
                    "destination_type": "volume",
                    "boot_index": 0 if position == 0 else -1,
                    "delete_on_termination": False,
                }
                for position, volume_id in enumerate(spec.volume_ids)
            ],
            "networks": [{"port": port_id} for port_id in spec.port_ids] or "none",
            "metadata": dict(spec.metadata),
            "config_drive": False,
        }
        if spec.metadata.get(UID_KEY):
            server["tags"] = [MARK, mark_of(spec.metadata[UID_KEY])]
        if spec.user_data:
            server["user_data"] = base64.b64encode(spec.user_data.encode()).decode()
        if spec.availability_zone:
            server["availability_zone"] = spec.availability_zone
        answer = self._connection.request(
            NOVA, "create_server", "POST", "/servers", body={"server": server}, expect="server"
        )
        return str(answer["server"]["id"])

    def delete_server(self, server_id: str) -> bool:
        """Ask for deletion. True is no promise: Nova answers 204 and ignores it in some task states."""
        return self._connection.delete(NOVA, "delete_server", f"/servers/{server_id}")

    def stop_server(self, server_id: str) -> None:
        """Ask for power off; CONFLICT where it is stopped already or busy."""
        self._server_action("stop_server", server_id, {"os-stop": None})

    def start_server(self, server_id: str) -> None:
        """Ask for power on; CONFLICT where it runs already or is busy."""
        self._server_action("start_server", server_id, {"os-start": None})

    def set_server_metadata(self, server_id: str, metadata: Mapping[str, str]) -> None:
        """Set these keys and keep the others; CONFLICT for a server in ERROR."""
        self._connection.request(
            NOVA,
            "set_server_metadata",
            "POST",
            f"/servers/{server_id}/metadata",
            body={"metadata": dict(metadata)},
        )

    def attach_volume(self, server_id: str, volume_id: str) -> None:
        """Ask for attachment. A later failure shows only in the server's actions."""
        self._connection.request(
            NOVA,
            "attach_volume",
            "POST",
            f"/servers/{server_id}/os-volume_attachments",
            body={"volumeAttachment": {"volumeId": volume_id}},
        )

    def detach_volume(self, server_id: str, volume_id: str) -> bool:
        """Ask for detachment; False where it is not attached."""
        return self._connection.delete(
            NOVA, "detach_volume", f"/servers/{server_id}/os-volume_attachments/{volume_id}"
        )

    def attach_port(self, server_id: str, port_id: str) -> None:
        """Plug the port into the server."""
        self._connection.request(
            NOVA,
            "attach_port",
            "POST",
            f"/servers/{server_id}/os-interface",
            body={"interfaceAttachment": {"port_id": port_id}},
        )

    def detach_port(self, server_id: str, port_id: str) -> bool:
        """Unplug the port, which stays; False where it is not plugged in."""
        return self._connection.delete(
            NOVA, "detach_port", f"/servers/{server_id}/os-interface/{port_id}"
        )

    def get_flavor(self, flavor_id: str) -> FlavorSeen | None:
        """Return the flavor, None for 404."""
        answer = self._connection.get_or_none(
            NOVA, "get_flavor", f"/flavors/{flavor_id}", expect="flavor"
        )
        if answer is None:
            return None
        flavor = answer["flavor"]
        return FlavorSeen(
            id=str(flavor["id"]), vcpus=int(flavor["vcpus"]), memory_mib=int(flavor["ram"])
        )

    def compute_quota(self) -> ComputeQuotaSeen:
        """Return what is free in the project of the credentials."""
        project_id = self._connection.project_id
        answer = self._connection.request(
            NOVA, "compute_quota", "GET", f"/os-quota-sets/{project_id}/detail", expect="quota_set"
        )
        quota = answer["quota_set"]
        return ComputeQuotaSeen(
            instances=free_of(quota["instances"]),
            vcpus=free_of(quota["cores"]),
            memory_mib=free_of(quota["ram"]),
        )

    def _server_action(self, verb: str, server_id: str, body: Json) -> None:
        self._connection.request(NOVA, verb, "POST", f"/servers/{server_id}/action", body=body)

    def _server_pages(self, verb: str, params: Mapping[str, str]) -> Iterator[ServerSeen]:
        for server in self._connection.pages(NOVA, verb, "/servers/detail", "servers", params):
            yield server_seen(server)


def server_seen(server: Json) -> ServerSeen:
    """Return Nova's server as ours."""
    fault = server.get("fault") or {}
    return ServerSeen(
        id=str(server["id"]),
        # a cell that is down shows a server with little more than its id
        status=str(server.get("status") or "UNKNOWN").upper(),
        task_state=server.get("OS-EXT-STS:task_state"),
        vm_state=server.get("OS-EXT-STS:vm_state"),
        metadata=_metadata_with_uid(server),
        volume_ids=tuple(
            str(volume["id"]) for volume in server.get("os-extended-volumes:volumes_attached", ())
        ),
        fault=str(fault.get("message") or ""),
        fault_code=int(fault.get("code") or 0),
        create_time=_time(server.get("created")),
    )


def free_of(quota: Json) -> int | None:
    """Return what is left of a quota with limit, in_use and reserved; None without a limit."""
    limit = int(quota["limit"])
    if limit < 0:
        return None
    return max(0, limit - int(quota.get("in_use") or 0) - int(quota.get("reserved") or 0))


def _metadata_with_uid(server: Json) -> dict[str, str]:
    """Return the metadata; a uid that somebody took out of it is read from the tags."""
    metadata = {str(key): str(value) for key, value in (server.get("metadata") or {}).items()}
    if not metadata.get(UID_KEY):
        uids = [uid for tag in server.get("tags") or () if (uid := uid_of_mark(str(tag)))]
        if uids:
            metadata[UID_KEY] = uids[0]
    return metadata


def _time(value: object) -> datetime | None:
    """Return Nova's time (UTC, with or without a Z), None where there is none."""
    if not isinstance(value, str) or not value:
        return None
    text = value.removesuffix("Z")
    return datetime.fromisoformat(text if "+" in text else f"{text}+00:00")
