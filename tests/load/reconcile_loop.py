"""The engine in one thread on one core; a process of its own, run by ``reconciles``. Prints JSON."""

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import openstack
from django.db.models import Q

from catalog.selectors.clusters import list_clusters
from compute.models import (
    Instance,
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
)
from compute.reconcilers.wakeups import (
    wake_openstack_instance,
    wake_openstack_network_interface,
    wake_openstack_volume,
)
from compute.services.instance_input import (
    InlineNetworkInterface,
    InlineVolume,
    InstanceInput,
)
from compute.services.instances import create_instance
from cycloud.core.clock import now
from cycloud.core.iam.actor import system_actor
from cycloud.core.iam.services.projects import create_project
from cycloud.core.reconcile.engine import drain
from cycloud.core.reconcile.models import DueRow
from cycloud.embedded.seed_catalog import IMAGE, VOLUME_TYPE, ZONE, seed_catalog
from cycloud.openstack.counters import reset_counters, snapshot
from cycloud.simulator.site import Site
from networking.services.subnets import SubnetInput, create_subnet
from networking.services.vpcs import VpcInput, create_vpc

ACTOR = system_actor("bench")
PROJECT = "bench"
SETTLE_SECONDS = 300.0
ROUNDS = 3


@dataclass(frozen=True)
class Cost:
    """Seconds on the wall and on the processor."""

    wall: float
    cpu: float


def main(state: str, auth_url: str, count: int) -> dict[str, float]:
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    site = Site.load(state)
    for _ in seed_catalog(ACTOR, site, lambda cloud: auth_url.format(cloud=cloud)):
        pass
    make_instances(count)
    settle()
    assert Instance.objects.filter(state="RUNNING").count() == count
    passes: list[Cost] = []
    bare: list[Cost] = []
    done = calls = 0
    gets = bare_gets(site, auth_url)
    for _ in range(ROUNDS):  # interleaved: what else the machine does meets both
        done = wake_all()
        reset_counters()
        passes.append(cost(drain_all))
        calls = sum(snapshot().values())
        bare.append(cost(gets))
    first, second = (min(costs, key=lambda c: c.cpu) for costs in (passes, bare))
    return {
        "per_second": done / first.wall,
        "per_cpu_second": done / first.cpu,
        "calls_per_pass": calls / done,
        "wall_ratio": first.wall / second.wall,
        "cpu_ratio": first.cpu / second.cpu,
    }


def make_instances(count: int) -> None:
    create_project(actor=ACTOR, project_id=PROJECT, display_name="Bench")
    create_vpc(actor=ACTOR, project_id=PROJECT, vpc_id="main", data=VpcInput())
    create_subnet(
        actor=ACTOR,
        project_id=PROJECT,
        subnet_id="main",
        data=SubnetInput(vpc="main", availability_zone=ZONE, cidr="10.0.0.0/16"),
    )
    for number in range(count):
        data = InstanceInput(
            instance_type="m7a.small",
            availability_zone=ZONE,
            volumes=(
                InlineVolume(VOLUME_TYPE, 10, image=IMAGE),
                InlineVolume(VOLUME_TYPE, 10),
            ),
            network_interfaces=(InlineNetworkInterface("main"),),
        )
        create_instance(actor=ACTOR, project_id=PROJECT, data=data, instance_id=f"i-{number}")


def drain_all() -> int:
    """Run whatever is due, in every queue; return the number of passes."""
    total = 0
    busy = True
    while busy:
        busy = False
        for queue in set(DueRow.objects.values_list("queue", flat=True)):
            while passes := drain(queue):
                total += passes
                busy = True
    return total


def settle() -> None:
    """Run the engine until nothing is due that somebody waits for."""
    end = time.monotonic() + SETTLE_SECONDS
    unsettled = DueRow.objects.exclude(controller="cluster_resync").filter(
        Q(due__isnull=True) | ~Q(last_outcome="Done")
    )
    while unsettled.exists():
        if time.monotonic() > end:
            raise AssertionError(f"not settled: {list(unsettled.values()[:3])}")
        if not drain_all():
            time.sleep(0.05)


def wake_all() -> int:
    """Ask for a pass over every provider row; return how many that are."""
    instances = OpenStackInstance.objects.select_related("cluster", "instance__project")
    volumes = OpenStackVolume.objects.select_related("cluster", "binding__project")
    ports = OpenStackNetworkInterface.objects.select_related(
        "cluster", "network_interface__project"
    )
    for instance in instances:
        wake_openstack_instance(instance)
    for volume in volumes:
        wake_openstack_volume(volume)
    for port in ports:
        wake_openstack_network_interface(port)
    return DueRow.objects.filter(due__lte=now()).count()


def cost(work: Callable[[], Any]) -> Cost:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def bare_gets(site: Site, auth_url: str) -> Callable[[], None]:
    """The same GETs as the passes make, on the SDK's own session."""
    cloud = openstack.connect(
        load_yaml_config=False,
        load_envvars=False,
        auth_type="v3password",
        auth={
            "auth_url": auth_url.format(cloud="a"),
            "username": "cycloud",
            "password": site.password,
            "project_name": "cycloud",
            "user_domain_name": "Default",
            "project_domain_name": "Default",
        },
    )
    assert list_clusters().count() == len(site.clouds)
    project = str(cloud.current_project_id)
    requests: list[tuple[Any, str, dict[str, str], str | None]] = []
    limit = {"limit": "200"}
    for row in OpenStackInstance.objects.select_related("instance"):
        tags = {**limit, "tags": f"cycloud:{row.instance.uid}"}
        requests.append((cloud.compute, "/servers/detail", tags, "2.90"))
        device = {**limit, "device_id": row.server_id}
        requests.append((cloud.network, "/ports", device, None))
    for volume in OpenStackVolume.objects.select_related("binding"):
        metadata = json.dumps({"cycloud_uid": str(volume.binding.volume_uid)})
        query = {**limit, "metadata": metadata}
        requests.append((cloud.block_storage, "/volumes/detail", query, "3.66"))
    for port in OpenStackNetworkInterface.objects.select_related("network_interface"):
        mark = f"cycloud:{port.network_interface.uid}"
        query = {**limit, "description": mark, "project_id": project}
        requests.append((cloud.network, "/ports", query, None))

    def get_all() -> None:
        for api, path, query, version in requests:
            answer = api.get(f"{path}?{urlencode(query)}", microversion=version)
            openstack.exceptions.raise_from_response(answer)
            answer.json()

    get_all()
    return get_all


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
