"""The two real clouds with a portal in front of them, as the end-to-end suites have it."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.harness import clouds as real
from tests.e2e.harness.clouds import RealCloud
from tests.e2e.harness.machine import Machine
from tests.e2e.harness.portal import Portal
from tests.e2e.harness.rest import NeverHappened, Resource, Rest, condition, is_settled
from tests.e2e.harness.seed import IMAGE, PARENT, SUBNET, VOLUME_TYPE, ZONE, CloudFacts, Facts
from tests.e2e.harness.services import broker_vhost, postgres_server

# the portal and the direct script look at a state under way this often, in seconds
POLL_SECONDS = 0.5
# how often a user looks: it is added to what is measured, and each look costs the portal processor time
USER_POLL_SECONDS = 0.25
WAIT_SECONDS = 180.0
RETENTION_SECONDS = 60


@dataclass(frozen=True)
class World:
    """``facts``: what the catalog says, and what the direct script uses as well."""

    clouds: dict[str, RealCloud]
    facts: Facts
    portal: Portal
    user: Rest


@contextmanager
def world(folder: Path) -> Iterator[World]:
    """Start the portal's processes, seeded; settings are those of production."""
    clouds = real.connect()
    facts = Facts(tuple(_facts(cloud) for cloud in clouds.values()), RETENTION_SECONDS)
    # a vhost of our own: that of the suites may be in use
    broker = broker_vhost("cycloud-bench")
    env = {
        "CYCLOUD_POLL_SECONDS": str(POLL_SECONDS),
        # at DEBUG the workers' logs tell every pass and every call with its seconds
        "CYCLOUD_LOG_LEVEL": os.environ.get("CYCLOUD_BENCH_LOG_LEVEL", "INFO"),
    }
    with (
        postgres_server(folder / "postgresql") as database_url,
        Portal(folder, database_url, broker, extra_env=env) as portal,
    ):
        path = folder / "facts.json"
        facts.dump(path)
        code = f"from tests.e2e.harness.seed import main; main({str(path)!r})"
        tokens = json.loads(portal.manage("shell", "-c", code).splitlines()[-1])
        with Rest(portal.url, tokens["user"]) as user:
            yield World(clouds, facts, portal, user)
            # with the subnet go the networks that the portal made in the clouds
            user.delete(f"{PARENT}/subnets/{SUBNET}")
            user.wait_gone(f"{PARENT}/subnets/{SUBNET}", 60)


def _facts(cloud: RealCloud) -> CloudFacts:
    shapes = real.FLAVORS[cloud.name]
    flavors = {name: (id_, *shapes[name]) for name, id_ in cloud.flavor_ids().items()}
    return CloudFacts(
        name=cloud.name,
        family=next(iter(flavors)).partition(".")[0],
        flavors=flavors,
        volume_type_id=cloud.volume_type_id("shared"),
        backend_host=f"cinder-{cloud.name}@shared#shared",
        image_id=cloud.image_id(),
    )


class PortalMachine(Machine):
    """An instance made through the portal, and how long its user waits for it."""

    def __init__(self, world: World, id_: str, address: str, size_gib: int = 1) -> None:
        super().__init__(world.user, world.clouds, id_, address)
        self.size_gib = size_gib

    def create_seconds(self, instance_type: str) -> float:
        """Ask for the instance and wait until it runs."""
        volume = {"volume_type": VOLUME_TYPE, "size": f"{self.size_gib}Gi"}
        root, data = self.volumes
        body = {
            "instance_type": instance_type,
            "availability_zone": ZONE,
            "volumes": [
                {**volume, "volume_id": root, "image": IMAGE},
                {**volume, "volume_id": data},
            ],
            "network_interfaces": [{"subnet": SUBNET, "ip_address": self.address}],
        }
        begin = time.monotonic()
        self.user.create(PARENT, "instances", self.id, body)
        instance = self._until("RUNNING")
        seconds = time.monotonic() - begin
        self.interfaces = [nic["id"] for nic in instance["network_interfaces"]]
        for name in [self.name, *self.volume_names, *self.interface_names]:
            self.uids[name] = self.user.get(name)["uid"]
        return seconds

    def move_seconds(self, instance_type: str) -> float:
        """Stop, declare the type, and measure from the start to running in the other cloud."""
        self.declare_type(instance_type)
        self.stop()
        begin = time.monotonic()
        self.user.verb(self.name, "start")
        self._until("RUNNING")
        return time.monotonic() - begin

    def _until(self, state: str) -> Resource:
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            found = self.user.get(self.name)
            is_ready = condition(found, "Ready").get("status") == "True"
            if found["state"] == state and is_ready and is_settled(found):
                return found
            time.sleep(USER_POLL_SECONDS)
        raise NeverHappened(f"{self.name}: not {state}: {found}")
