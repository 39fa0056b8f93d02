"""The same work as a script of a dozen openstacksdk calls would do it: no catalog, no database, no safety."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from openstack.exceptions import NotFoundException

from tests.e2e.harness.clouds import RealCloud
from tests.e2e.harness.seed import CloudFacts
from tests.load.real import POLL_SECONDS, WAIT_SECONDS

Networks = Mapping[str, tuple[str, str]]  # cloud -> ids of the network and the subnet


class DirectMachine:
    """A server with two volumes and one port; the ids of the present cloud are kept here."""

    def __init__(
        self,
        clouds: Mapping[str, RealCloud],
        facts: Mapping[str, CloudFacts],
        networks: Networks,
        name: str,
        address: str,
        size_gib: int = 1,
    ) -> None:
        self._clouds, self._facts, self._networks = clouds, facts, networks
        self.name, self.address, self.size_gib = name, address, size_gib
        self.cloud = ""
        self.mac_address: str | None = None
        self.server = self.port = ""
        self.volumes: list[str] = []

    def create_seconds(self, cloud: str, flavor: str) -> float:
        """Make volumes, port and server and wait until it is ACTIVE."""
        begin = time.monotonic()
        sdk, facts = self._clouds[cloud].sdk, self._facts[cloud]
        for part, image in (("root", facts.image_id), ("data", None)):
            spec: dict[str, Any] = {"image_id": image} if image else {}
            volume = sdk.block_storage.create_volume(
                name=f"{self.name}-{part}",
                size=self.size_gib,
                volume_type=facts.volume_type_id,
                **spec,
            )
            self.volumes.append(volume.id)
        self.cloud = cloud
        self._make_port()
        self._until_volumes("available")
        self._boot(flavor)
        return time.monotonic() - begin

    def move_seconds(self, cloud: str, flavor: str) -> float:
        """Stop; measure from the deletion of the stopped server to ACTIVE in the other cloud."""
        old = self._clouds[self.cloud].sdk
        old.compute.stop_server(self.server)
        self._until_server("SHUTOFF")
        begin = time.monotonic()
        old.compute.delete_server(self.server)
        _wait(lambda: _is_gone(old.compute.get_server, self.server))
        self._until_volumes("available")
        saved = [old.block_storage.get_volume(id_) for id_ in self.volumes]
        for id_ in self.volumes:
            old.block_storage.unmanage_volume(id_)
        old.network.delete_port(self.port)
        for id_ in self.volumes:
            _wait(lambda id_=id_: _is_gone(old.block_storage.get_volume, id_))  # type: ignore[misc]
        self.cloud = cloud
        self.volumes = [self._manage(volume) for volume in saved]
        self._make_port()
        self._until_volumes("available")
        new = self._clouds[cloud].sdk.block_storage
        for id_, volume in zip(self.volumes, saved, strict=True):
            if volume.volume_image_metadata:
                # what unmanage forgets
                new.set_volume_image_metadata(id_, **volume.volume_image_metadata)
        self._boot(flavor)
        return time.monotonic() - begin

    def remove(self) -> None:
        """Delete all of it, as far as it was made."""
        if not self.cloud:
            return
        sdk = self._clouds[self.cloud].sdk
        if self.server:
            sdk.compute.delete_server(self.server, ignore_missing=True)
            _wait(lambda: _is_gone(sdk.compute.get_server, self.server))
        if self.port:
            sdk.network.delete_port(self.port, ignore_missing=True)
        for id_ in self.volumes:
            sdk.block_storage.delete_volume(id_, ignore_missing=True)
        for id_ in self.volumes:
            _wait(lambda id_=id_: _is_gone(sdk.block_storage.get_volume, id_))  # type: ignore[misc]

    def _make_port(self) -> None:
        network, subnet = self._networks[self.cloud]
        mac = {"mac_address": self.mac_address} if self.mac_address else {}
        port = self._clouds[self.cloud].sdk.network.create_port(
            network_id=network,
            fixed_ips=[{"subnet_id": subnet, "ip_address": self.address}],
            **mac,
        )
        self.port, self.mac_address = port.id, port.mac_address

    def _manage(self, volume: Any) -> str:
        facts = self._facts[self.cloud]
        storage: Any = self._clouds[self.cloud].sdk.block_storage
        managed = storage.manage_volume(
            host=facts.backend_host,
            ref={"source-name": f"volume-{volume.id}"},
            name=volume.name,
            volume_type=facts.volume_type_id,
            bootable=volume.is_bootable,
        )
        return str(managed.id)

    def _boot(self, flavor: str) -> None:
        server = self._clouds[self.cloud].sdk.compute.create_server(
            name=self.name,
            flavor_id=self._facts[self.cloud].flavors[flavor][0],
            networks=[{"port": self.port}],
            block_device_mapping_v2=[
                {
                    "uuid": id_,
                    "source_type": "volume",
                    "destination_type": "volume",
                    "boot_index": 0 if position == 0 else -1,
                    "delete_on_termination": False,
                }
                for position, id_ in enumerate(self.volumes)
            ],
        )
        self.server = str(server.id)
        self._until_server("ACTIVE")

    def _until_server(self, status: str) -> None:
        compute = self._clouds[self.cloud].sdk.compute
        _wait(lambda: _reached(compute.get_server(self.server), status))

    def _until_volumes(self, status: str) -> None:
        storage = self._clouds[self.cloud].sdk.block_storage
        for id_ in self.volumes:
            _wait(lambda id_=id_: _reached(storage.get_volume(id_), status))  # type: ignore[misc]


def _reached(found: Any, status: str) -> bool:
    assert not str(found.status).lower().startswith("error"), found
    return str(found.status) == status


def _is_gone(get: Callable[[str], object], id_: str) -> bool:
    try:
        get(id_)
    except NotFoundException:
        return True
    return False


def _wait(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not reached():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(POLL_SECONDS)
