"""What the contract cases run against: the simulator, or two real clouds over one Ceph pool."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from openstack.exceptions import ConflictException

from cycloud.openstack.access import ClusterAccess
from cycloud.openstack.connection import CINDER, NEUTRON, NOVA, ClusterConnection, Json
from cycloud.openstack.faults import ProviderFault
from cycloud.openstack.sessions import OpenStackClient, client_for
from cycloud.simulator.server import SimulatorServer
from cycloud.simulator.site import Site
from tests.contracts.polling import until
from tests.e2e.harness import pool
from tests.e2e.harness.clouds import RealCloud

CLOUDS = ("a", "b")
# a project of its own: quotas set here and listings made here disturb nobody else
REAL_PROJECT = "cycloud-contracts"
_QUOTA_PATHS = {
    NOVA: ("/os-quota-sets", "quota_set"),
    CINDER: ("/os-quota-sets", "quota_set"),
    NEUTRON: ("/quotas", "quota"),
}


class Target(ABC):
    """Two clouds, ``a`` and ``b``, over one storage."""

    name: str
    accesses: Mapping[str, ClusterAccess]

    def client(self, cloud: str) -> OpenStackClient:
        return cast(OpenStackClient, client_for(self.accesses[cloud]))

    def raw(self, cloud: str) -> ClusterConnection:
        """What an operator does by hand, past the client's methods."""
        return self.client(cloud)._connection

    def host(self, cloud: str) -> str:
        return f"cinder-{cloud}@shared#shared"

    @contextmanager
    def quota(self, cloud: str, service: str, **limits: int) -> Iterator[None]:
        """Set limits of the project for the length of a block."""
        path, key = _QUOTA_PATHS[service]
        connection = self.raw(cloud)
        url = f"{path}/{connection.project_id}"
        before = connection.request(service, "test", "GET", url)[key]
        old = {name: before[name] for name in limits}
        connection.request(service, "test", "PUT", url, body={key: limits})
        try:
            yield
        finally:
            # what was removed a moment ago still counts, and a limit below what is used is refused
            until(
                f"{service} takes the old limits {old}",
                lambda: self._accepts(connection, service, url, {key: old}),
                bool,
            )

    @staticmethod
    def _accepts(connection: ClusterConnection, service: str, url: str, body: Json) -> bool:
        try:
            connection.request(service, "test", "PUT", url, body=body)
        except ProviderFault as fault:
            if fault.status != 400:
                raise
            return False
        return True

    @contextmanager
    def no_more(self, cloud: str, service: str, resource: str) -> Iterator[None]:
        """Let the service refuse more of ``resource``: the limit is what is used.

        A lower limit is refused, and every failed manage leaks a unit of Cinder's usage.
        """
        connection = self.raw(cloud)
        path, key = _QUOTA_PATHS[service]
        more = {NOVA: "/detail", NEUTRON: "/details.json"}.get(service, "")
        quota = connection.request(
            service,
            "test",
            "GET",
            f"{path}/{connection.project_id}{more}",
            params={"usage": "True"} if service == CINDER else None,
        )[key][resource]
        used = quota.get("used", quota.get("in_use")) + quota["reserved"]
        with self.quota(cloud, service, **{resource: used}):
            yield

    @abstractmethod
    def flavor_id(self, cloud: str) -> str: ...

    @abstractmethod
    def volume_type_id(self, cloud: str) -> str: ...

    @abstractmethod
    def image_id(self, cloud: str) -> str: ...

    @abstractmethod
    def stored(self) -> set[str]:
        """Names of all objects in the storage."""

    @abstractmethod
    def write(self, reference: str, offset: int, text: str) -> None: ...

    @abstractmethod
    def read(self, reference: str, offset: int, length: int) -> str: ...


class SimulatorTarget(Target):
    """The simulator, over HTTP in this process."""

    name = "simulator"

    def __init__(self, site: Site, server: SimulatorServer) -> None:
        self.site = site
        self.accesses = {
            cloud: ClusterAccess(
                key=f"simulator-{cloud}-{server.port}",
                revision=1,
                auth_url=server.auth_url(cloud),
                username="cycloud",
                password="simulated",
                project_name="cycloud",
                region_name="RegionOne",
            )
            for cloud in CLOUDS
        }

    def flavor_id(self, cloud: str) -> str:
        return self.site.clouds[cloud].flavor_id({"a": "m7a.small", "b": "m8a.small"}[cloud])

    def volume_type_id(self, cloud: str) -> str:
        return self.site.clouds[cloud].volume_type_id("shared")

    def image_id(self, cloud: str) -> str:
        return self.site.clouds[cloud].image_id("ubuntu-24.04")

    def stored(self) -> set[str]:
        return set(self.site.storage.names())

    def write(self, reference: str, offset: int, text: str) -> None:
        self.site.storage.write(reference, offset, text.encode())

    def read(self, reference: str, offset: int, length: int) -> str:
        return self.site.storage.read(reference, offset, length).decode()


class RealTarget(Target):
    """The test bed's clouds (make testbed-up)."""

    name = "real"

    def __init__(self) -> None:
        self._clouds = {cloud: RealCloud(cloud) for cloud in CLOUDS}
        self.accesses = {cloud: self._access(cloud) for cloud in CLOUDS}

    def _access(self, cloud: str) -> ClusterAccess:
        sdk = self._clouds[cloud].sdk
        identity: Any = sdk.identity  # typed as v2 or v3
        project = identity.find_project(REAL_PROJECT)
        if project is None:
            try:
                project = identity.create_project(name=REAL_PROJECT, domain_id="default")
            except ConflictException:
                project = identity.find_project(REAL_PROJECT, ignore_missing=False)
        auth = sdk.config.auth
        identity.assign_project_role_to_user(
            project,
            identity.find_user(auth["username"], ignore_missing=False),
            identity.find_role("admin", ignore_missing=False),
        )
        return ClusterAccess(
            key=f"real-{cloud}",
            revision=1,
            auth_url=auth["auth_url"],
            username=auth["username"],
            password=auth["password"],
            project_name=REAL_PROJECT,
            region_name="RegionOne",
        )

    def flavor_id(self, cloud: str) -> str:
        return next(iter(self._clouds[cloud].flavor_ids().values()))

    def volume_type_id(self, cloud: str) -> str:
        return self._clouds[cloud].volume_type_id()

    def image_id(self, cloud: str) -> str:
        return self._clouds[cloud].image_id()

    def stored(self) -> set[str]:
        return pool.names()

    def write(self, reference: str, offset: int, text: str) -> None:
        pool.write(reference, offset, text)

    def read(self, reference: str, offset: int, length: int) -> str:
        return pool.read(reference, offset, length)


def target_names() -> list[str]:
    """Return what to run against: the real clouds too where CYCLOUD_REAL_CLOUDS=1."""
    return ["simulator", "real"] if os.environ.get("CYCLOUD_REAL_CLOUDS") == "1" else ["simulator"]
