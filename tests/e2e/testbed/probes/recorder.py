"""Sends requests to the clouds and keeps what they answered."""

import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import openstack

KIT = pathlib.Path(__file__).resolve().parent.parent
ROOT = pathlib.Path(os.environ.get("OSBED_ROOT", pathlib.Path.home() / ".cache/cycloud-testbed"))
RUN = pathlib.Path(os.environ.get("OSBED_RUN", ROOT / "run"))
UNKNOWN_ID = "9b0a7c46-0000-4000-8000-000000000000"
HEADERS = {
    "content-type",
    "x-openstack-request-id",
    "x-compute-request-id",
    "retry-after",
    "openstack-api-version",
    "www-authenticate",
}
VOLUME_MOVES = {
    "creating",
    "managing",
    "deleting",
    "unmanaging",
    "attaching",
    "detaching",
    "reserved",
    "downloading",
}


def osbed(*args: object) -> str:
    """Run a command of the test bed; a failure is text as well, for the notes."""
    words = [sys.executable, str(KIT / "osbed.py"), *map(str, args)]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    return f"FAILED {result.stderr[-200:]}" if result.returncode else result.stdout.strip()


def images() -> list[str]:
    return osbed("rbd", "ls").split()


def rbd(*args: str) -> None:
    """Run Ceph's own tool: it can create images."""
    conf = RUN / "ceph/ceph.conf"
    subprocess.run(["rbd", "-c", str(conf), *args], check=True)


def poll(look: Callable[[], Any], wanted: Callable[[Any], bool], timeout: float = 60) -> Any:
    """Look until ``wanted`` holds; what does not exist is "GONE"."""
    end = time.time() + timeout
    last = None
    while time.time() < end:
        try:
            last = look()
        except openstack.exceptions.NotFoundException:
            last = "GONE"
        if wanted(last):
            return last
        time.sleep(0.3)
    return f"TIMEOUT last={last}"


def settled(status: str) -> bool:
    return status not in VOLUME_MOVES


def is_(*words: str) -> Callable[[Any], bool]:
    return lambda seen: seen in words


class Recorder:
    """Keeps OUT/NAME.json for each probe, and OUT/notes.json for what was seen besides."""

    def __init__(self, out: pathlib.Path, first: str, second: str) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self.out = out
        self.names = (first, second)
        self.a, self.b = openstack.connect(cloud=first), openstack.connect(cloud=second)
        self.demo = openstack.connect(cloud=f"{first}-demo")
        self.tag = f"{int(time.time()) % 100000:x}"
        self.notes: list[dict[str, Any]] = []

    def hosts(self) -> list[str]:
        """Return cinder's names of the shared pool in both clouds."""
        return [f"cinder-{name}@shared#shared" for name in self.names]

    # -- keeping

    def keep(self, name: str, record: dict[str, Any], shown: object) -> None:
        (self.out / f"{name}.json").write_text(json.dumps(record, indent=1))
        print(f"{record['status']}  {name}: {json.dumps(shown)[:230]}", flush=True)

    def call(
        self,
        name: str,
        api: Any,
        method: str,
        path: str,
        body: Any = None,
        version: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Send one request, keep request and answer, return the response."""
        begin = time.time()
        payload = {} if body is None else {"json": body}
        response = api.request(
            path,
            method,
            raise_exc=False,
            microversion=version,
            headers=headers or {},
            **payload,
        )
        try:
            content = response.json()
        except ValueError:
            content = response.text
        request = {"method": method, "path": path, "microversion": version, "body": body}
        kept = {k: v for k, v in response.headers.items() if k.lower() in HEADERS}
        record = {
            "request": request,
            "status": response.status_code,
            "seconds": round(time.time() - begin, 2),
            "headers": kept,
            "body": content,
        }
        self.keep(name, record, content)
        return response

    def note(self, name: str, value: Any) -> None:
        self.notes.append({"name": name, "value": value})
        print(f"     {name}: {json.dumps(value, default=str)[:400]}", flush=True)

    def save_notes(self) -> None:
        path = self.out / "notes.json"
        old = json.loads(path.read_text()) if path.exists() else []
        new = {note["name"] for note in self.notes}
        notes = [note for note in old if note["name"] not in new] + self.notes
        path.write_text(json.dumps(notes, indent=1, default=str))

    # -- looking

    def volume(
        self,
        cloud: Any,
        volume: str,
        wanted: Callable[[Any], bool] = settled,
        timeout: float = 60,
    ) -> Any:
        return poll(lambda: cloud.block_storage.get_volume(volume).status, wanted, timeout)

    def server(self, server: str, wanted: Callable[[Any], bool], timeout: float = 60) -> Any:
        return poll(lambda: self.a.compute.get_server(server).status, wanted, timeout)

    # -- making

    def new_volume(self, cloud: Any, bootable: bool = False) -> str:
        volume = cloud.block_storage.create_volume(size=1, name=f"edge-{self.tag}")
        self.volume(cloud, volume.id)
        if bootable:
            cloud.block_storage.set_volume_bootable_status(volume.id, True)
        return str(volume.id)

    def drop(self, cloud: Any, *volumes: str | None) -> None:
        for volume in filter(None, volumes):
            try:
                cloud.block_storage.delete_volume(volume, force=True)
            except openstack.exceptions.SDKException as error:
                print("     (cleanup)", str(error)[:150])

    def network(self, cidr: str = "10.66.0.0/24") -> tuple[str, str]:
        """Make a network with one subnet in the first cloud."""
        network = self.a.network.create_network(name=f"edge-{self.tag}")
        subnet = self.a.network.create_subnet(
            network_id=network.id, ip_version=4, cidr=cidr, name=f"edge-{self.tag}"
        )
        return str(network.id), str(subnet.id)

    def server_body(self, port: str, root: str | None = None, **fields: Any) -> dict[str, Any]:
        """Return the body of POST /servers that boots from a volume."""
        flavor = self.a.compute.find_flavor("bfv.small").id
        body = {"name": f"edge-{self.tag}", "flavorRef": flavor, "networks": [{"port": port}]}
        if root:
            device = {"uuid": root, "source_type": "volume", "destination_type": "volume"}
            body["block_device_mapping_v2"] = [
                {**device, "boot_index": 0, "delete_on_termination": False}
            ]
        return {"server": {**body, **fields}}

    def boot(self, port: str, root: str, **fields: Any) -> str:
        """Make a server and wait until it is built or failed."""
        body = self.server_body(port, root, **fields)
        answer = self.a.compute.post("/servers", json=body, microversion="2.96")
        server = str(answer.json()["server"]["id"])
        self.server(server, is_("ACTIVE", "ERROR"))
        return server

    def delete_server(self, server: str) -> Any:
        self.a.compute.delete_server(server)
        return self.server(server, is_("GONE"))
