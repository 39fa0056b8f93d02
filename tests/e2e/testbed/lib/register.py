"""Fills a new cloud: users, roles, catalog ("identity"); then waits for its agents and
adds flavors and the volume type ("ready"). Run with the services' own Python.

register.py identity|ready NAME IP PASSWORD
"""

import sys
import time
from collections.abc import Callable
from typing import Any

from keystoneauth1 import adapter, exceptions, session
from keystoneauth1.identity import v3

# ids are left to nova: the same flavor has another id in each cloud, as in real life
FLAVORS = {  # name -> vCPUs, MiB, GiB
    "m1.tiny": (1, 512, 1),
    "m1.small": (1, 2048, 20),
    "m1.medium": (2, 4096, 40),
    "bfv.small": (1, 1024, 0),
}


def catalog(ip: str) -> list[tuple[str, str, str]]:
    """Return (name, type, URL) of every service."""
    return [
        ("glance", "image", f"http://{ip}:9292"),
        ("nova", "compute", f"http://{ip}:8774/v2.1"),
        ("placement", "placement", f"http://{ip}:8778"),
        ("neutron", "network", f"http://{ip}:9696"),
        ("cinder", "volumev3", f"http://{ip}:8776/v3/%(project_id)s"),
        ("cinder", "block-storage", f"http://{ip}:8776/v3/%(project_id)s"),
    ]


class Identity:
    """Creates what is missing in keystone; harmless to repeat."""

    def __init__(self, connection: session.Session) -> None:
        self.api = adapter.Adapter(connection, service_type="identity", interface="public")

    def list(self, kind: str, **query: str) -> list[dict[str, Any]]:
        return self.api.get(f"/{kind}", params=query).json()[kind]

    def ensure(self, kind: str, body: dict[str, str]) -> dict[str, Any]:
        found = self.list(kind, name=body["name"])
        singular = kind.removesuffix("s")
        return (
            found[0] if found else self.api.post(f"/{kind}", json={singular: body}).json()[singular]
        )

    def fill(self, ip: str, password: str) -> None:
        roles = {role["name"]: role["id"] for role in self.list("roles")}
        for role in ("service", "member", "reader"):
            if role not in roles:
                roles[role] = self.ensure("roles", {"name": role})["id"]
        service = self.ensure("projects", {"name": "service", "domain_id": "default"})
        demo = self.ensure("projects", {"name": "demo", "domain_id": "default"})

        def grant(user: dict[str, Any], project: dict[str, Any], *names: str) -> None:
            for name in names:
                path = f"/projects/{project['id']}/users/{user['id']}/roles/{roles[name]}"
                self.api.put(path)

        def ensure_user(name: str) -> dict[str, Any]:
            body = {"name": name, "domain_id": "default", "password": password}
            return self.ensure("users", body)

        for name in ("glance", "nova", "placement", "neutron", "cinder"):
            grant(ensure_user(name), service, "admin", "service")
        grant(ensure_user("demo"), demo, "member")
        grant(self.list("users", name="admin")[0], demo, "admin", "member")
        for name, kind, url in catalog(ip):
            self._publish(name, kind, url)

    def _publish(self, name: str, kind: str, url: str) -> None:
        found = self.list("services", type=kind)
        body = {"service": {"name": name, "type": kind}}
        service = found[0] if found else self.api.post("/services", json=body).json()["service"]
        endpoints = self.list("endpoints", service_id=service["id"])
        have = {endpoint["interface"] for endpoint in endpoints}
        for interface in ("public", "internal", "admin"):
            if interface in have:
                continue
            endpoint = {
                "service_id": service["id"],
                "interface": interface,
                "url": url,
                "region_id": "RegionOne",
            }
            self.api.post("/endpoints", json={"endpoint": endpoint})


class Readiness:
    """Waits for one part of a cloud after the other."""

    def __init__(self, connection: session.Session, name: str) -> None:
        def api(kind: str, version: str | None = None) -> adapter.Adapter:
            return adapter.Adapter(
                connection,
                service_type=kind,
                interface="public",
                default_microversion=version,
            )

        self.name = name
        self.nova, self.cinder = api("compute", "2.53"), api("volumev3", "3.0")
        self.placement = api("placement")

    def wait(self, text: str, check: Callable[[], bool | str], timeout: float = 120) -> None:
        """Repeat ``check`` until it returns True; anything else is shown when time is up."""
        end = time.time() + timeout
        last: object = None
        while True:
            try:
                last = check()
                if last is True:
                    return
            except exceptions.HttpError as error:
                last = error
            if time.time() > end:
                sys.exit(f"{self.name}: {text}: {last}")
            time.sleep(0.5)

    def run(self) -> None:
        self.wait(
            "nova services",
            lambda: self._services(self.nova, {"nova-conductor", "nova-scheduler", "nova-compute"}),
        )
        self.wait(
            "cinder services",
            lambda: self._services(self.cinder, {"cinder-scheduler", "cinder-volume"}),
        )
        # the compute node counts only once it is mapped to its cell (scheduler's periodic task)
        # and has its inventory in placement
        self.wait("hypervisor", self._hypervisor)
        self.wait("placement inventory", self._inventory)
        self._add_types()
        self.wait("cinder pool statistics", self._pools)

    def _services(self, api: adapter.Adapter, binaries: set[str]) -> bool | str:
        services = api.get("/os-services").json()["services"]
        up = {service["binary"] for service in services if service["state"] == "up"}
        return True if binaries <= up else f"only {sorted(up)} are up"

    def _hypervisor(self) -> bool | str:
        return bool(self.nova.get("/os-hypervisors").json()["hypervisors"]) or "none listed yet"

    def _inventory(self) -> bool:
        providers = self.placement.get("/resource_providers").json()["resource_providers"]
        if not providers:
            return False
        path = f"/resource_providers/{providers[0]['uuid']}/inventories"
        return bool(self.placement.get(path).json()["inventories"])

    def _add_types(self) -> None:
        have = {flavor["name"] for flavor in self.nova.get("/flavors").json()["flavors"]}
        for name, (vcpus, ram, disk) in FLAVORS.items():
            if name not in have:
                flavor = {"name": name, "vcpus": vcpus, "ram": ram, "disk": disk}
                self.nova.post("/flavors", json={"flavor": flavor})
        have = {kind["name"] for kind in self.cinder.get("/types").json()["volume_types"]}
        if "shared" not in have:
            kind = {"name": "shared", "extra_specs": {"volume_backend_name": "shared"}}
            self.cinder.post("/types", json={"volume_type": kind})

    def _pools(self) -> bool | str:
        path = "/scheduler-stats/get_pools"
        pools = self.cinder.get(path, params={"detail": "true"}).json()["pools"]
        free = [pool["capabilities"].get("free_capacity_gb") for pool in pools]
        known = all(isinstance(size, (int, float)) and size > 0 for size in free)
        return True if free and known else str(free)


def main(step: str, name: str, ip: str, password: str) -> None:
    auth = v3.Password(
        f"http://{ip}:5000/v3",
        username="admin",
        password=password,
        project_name="admin",
        user_domain_id="default",
        project_domain_id="default",
    )
    connection = session.Session(auth)
    begin = time.time()
    if step == "identity":
        Identity(connection).fill(ip, password)
    else:
        Readiness(connection, name).run()
        print(f"{name}: ready, waited {time.time() - begin:.1f} s")


if __name__ == "__main__":
    main(*sys.argv[1:5])
