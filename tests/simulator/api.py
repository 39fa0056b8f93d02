"""A thin client for one simulated cloud: raw requests, so that tests see statuses and bodies."""

import base64
from typing import Any

import requests

from cycloud.simulator.cloud import Cloud
from cycloud.simulator.server import SimulatorServer

Json = dict[str, Any]
NOWHERE = "9b0a7c46-0000-4000-8000-000000000000"


class Api:
    """Calls the services of one cloud with a token of `user`."""

    def __init__(self, server: SimulatorServer, cloud: str, user: str = "cycloud") -> None:
        self.server = server
        self.cloud: Cloud = server.site.clouds[cloud]
        self.user = user
        self.root = f"{server.url}/{cloud}"
        self.session = requests.Session()
        self.project = self.cloud.users[user].project.id
        answer = self.sign_in(server.site.password)
        assert answer.status_code == 201, answer.text
        self.session.headers["X-Auth-Token"] = answer.headers["X-Subject-Token"]

    def sign_in(self, password: str, project: str | None = None) -> requests.Response:
        domain = {"name": "Default"}
        user = {"name": self.user, "password": password, "domain": domain}
        scope = {"project": {"name": project or self.user, "domain": domain}}
        identity = {"methods": ["password"], "password": {"user": user}}
        body = {"auth": {"identity": identity, "scope": scope}}
        return self.session.post(f"{self.root}/identity/v3/auth/tokens", json=body)

    def compute(
        self, method: str, path: str, body: Any = None, version: str = "2.93"
    ) -> requests.Response:
        return self._call("compute", f"/compute/v2.1{path}", method, body, version)

    def volume(
        self, method: str, path: str, body: Any = None, version: str = "3.60"
    ) -> requests.Response:
        return self._call("volume", f"/volume/v3/{self.project}{path}", method, body, version)

    def network(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> requests.Response:
        return self._call("network", f"/network/v2.0{path}", method, body, None, headers)

    def _call(
        self,
        service: str,
        path: str,
        method: str,
        body: Any,
        version: str | None,
        headers: dict[str, str] | None = None,
    ) -> requests.Response:
        wanted = {"OpenStack-API-Version": f"{service} {version}"} if version else {}
        return self.session.request(
            method, self.root + path, json=body, headers={**wanted, **(headers or {})}
        )

    # -- things to work with

    def new_port(self, **wishes: Any) -> Json:
        """A port on the only network, which is made when it is missing."""
        networks = self.network("GET", "/networks").json()["networks"]
        if not networks:
            body: Json = {"network": {"name": "net"}}
            networks = [self.network("POST", "/networks", body).json()["network"]]
            body = {"network_id": networks[0]["id"], "ip_version": 4, "cidr": "10.0.0.0/24"}
            self.network("POST", "/subnets", {"subnet": body})
        answer = self.network(
            "POST", "/ports", {"port": {"network_id": networks[0]["id"], **wishes}}
        )
        assert answer.status_code == 201, answer.text
        return dict(answer.json()["port"])

    def new_volume(self, *, image: bool = False, **wishes: Any) -> Json:
        """A volume, as it is when it is ready."""
        body = {"size": 1, **wishes}
        if image:
            body["imageRef"] = self.cloud.image_id("ubuntu-24.04")
        answer = self.volume("POST", "/volumes", {"volume": body})
        assert answer.status_code == 202, answer.text
        return self.get_volume(answer.json()["volume"]["id"])

    def get_volume(self, ident: str) -> Json:
        answer = self.volume("GET", f"/volumes/{ident}")
        return dict(answer.json()["volume"]) if answer.status_code == 200 else {"status": "GONE"}

    def volume_action(self, ident: str, name: str, **args: Any) -> requests.Response:
        return self.volume("POST", f"/volumes/{ident}/action", {name: args})

    def server_body(self, volume: Json, port: Json, **wishes: Any) -> Json:
        family = 7 if self.cloud.name == "a" else 8
        device = {
            "uuid": volume["id"],
            "source_type": "volume",
            "destination_type": "volume",
            "boot_index": 0,
            "delete_on_termination": False,
        }
        return {
            "server": {
                "name": "vm",
                "flavorRef": self.cloud.flavor_id(f"m{family}a.small"),
                "networks": [{"port": port["id"]}],
                "block_device_mapping_v2": [device],
                "user_data": base64.b64encode(b"#!/bin/sh").decode(),
                **wishes,
            }
        }

    def post_server(self, volume: Json, port: Json, **wishes: Any) -> str:
        """The id of a server that is asked for."""
        answer = self.compute("POST", "/servers", self.server_body(volume, port, **wishes))
        assert answer.status_code == 202, answer.text
        return str(answer.json()["server"]["id"])

    def new_server(self, **wishes: Any) -> tuple[Json, Json, Json]:
        """A server with its root volume and its port, all as they are when it runs."""
        volume, port = self.new_volume(image=True), self.new_port()
        server = self.get_server(self.post_server(volume, port, **wishes))
        return server, self.get_volume(volume["id"]), self.get_port(port["id"])

    def get_server(self, ident: str) -> Json:
        answer = self.compute("GET", f"/servers/{ident}")
        return dict(answer.json()["server"]) if answer.status_code == 200 else {"status": "GONE"}

    def get_port(self, ident: str) -> Json:
        return dict(self.network("GET", f"/ports/{ident}").json()["port"])

    def act(self, server: Json, name: str, args: Any = None) -> requests.Response:
        return self.compute("POST", f"/servers/{server['id']}/action", {name: args})

    def manage(self, source: str, **wishes: Any) -> requests.Response:
        host = f"cinder-{self.cloud.name}@shared#shared"
        body = {"host": host, "ref": {"source-name": source}, "volume_type": "shared", **wishes}
        return self.volume("POST", "/manageable_volumes", {"volume": body})


def message(answer: requests.Response) -> str:
    """The text of an error of nova or cinder, after a look at its shape."""
    ((_, detail),) = answer.json().items()
    assert detail["code"] == answer.status_code
    return str(detail["message"])
