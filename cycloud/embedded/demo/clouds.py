"""The simulated clouds as their operator sees them: where a volume is, and the bytes in the storage.

Users of the portal see nothing of this; the story needs it to prove that the bytes stayed.
"""

from base64 import b64encode
from dataclasses import dataclass

from cycloud.embedded.demo.failure import DemoFailed
from cycloud.embedded.demo.http import JsonClient

__all__ = ["CLOUDS", "SimulatedClouds", "StoredObject"]

CLOUDS = ("a", "b")


@dataclass(frozen=True)
class StoredObject:
    """The bytes of a volume: in which cloud's Cinder it is, and its name in the shared storage."""

    cloud: str
    name: str


class SimulatedClouds:
    """Looks into the clouds through their own APIs, by the uid that Cycloud leaves on what it makes."""

    def __init__(self, url: str, password: str) -> None:
        self._http = JsonClient(url)
        self._password = password

    def find(self, uid: str) -> StoredObject:
        """Return where the volume ``uid`` is; raises DemoFailed unless exactly one cloud has it."""
        found = [
            StoredObject(cloud, f"volume-{volume['id']}")
            for cloud in CLOUDS
            for volume in self._marked(cloud, "volume", "volumes", uid)
        ]
        if len(found) != 1:
            raise DemoFailed(f"The volume {uid} should be in one cloud, and is in these: {found}")
        return found[0]

    def servers(self, uid: str) -> dict[str, int]:
        """Return how many servers of the instance ``uid`` each cloud has."""
        return {cloud: len(self._marked(cloud, "compute", "servers", uid)) for cloud in CLOUDS}

    def write(self, item: StoredObject, offset: int, data: bytes) -> None:
        """Write into the storage, as the guest would."""
        self._http.call(
            "POST",
            f"/_sim/storage/{item.name}/write",
            {"offset": offset, "data": b64encode(data).decode()},
        )

    def digest(self, item: StoredObject) -> str:
        """Return the SHA-256 of all bytes."""
        answer = self._http.call("GET", f"/_sim/storage/{item.name}")
        return str(answer["digest"])

    def _marked(self, cloud: str, service: str, collection: str, uid: str) -> list[dict[str, str]]:
        token, project = self._sign_in(cloud)
        path = {"volume": f"/volume/v3/{project}", "compute": "/compute/v2.1"}[service]
        client = JsonClient(f"{self._http.base_url}/{cloud}{path}", {"X-Auth-Token": token})
        listed = client.call("GET", f"/{collection}/detail")[collection]
        return [item for item in listed if item["metadata"].get("cycloud_uid") == uid]

    def _sign_in(self, cloud: str) -> tuple[str, str]:
        domain = {"name": "Default"}
        user = {"name": "cycloud", "domain": domain, "password": self._password}
        body = {
            "auth": {
                "identity": {"methods": ["password"], "password": {"user": user}},
                "scope": {"project": {"name": "cycloud", "domain": domain}},
            }
        }
        answer = self._http.send("POST", f"/{cloud}/identity/v3/auth/tokens", body)
        if answer.status != 201:
            raise DemoFailed(
                f"The simulated cloud {cloud} at {self._http.base_url} refused the operator's sign-in "
                f"({answer.status}). Is another program on that port? Name the address with --simulator-url."
            )
        return answer.headers["x-subject-token"], answer.body["token"]["project"]["id"]
