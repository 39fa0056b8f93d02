"""Projects with many settled instances, for the benchmark of both faces.

Arguments: projects, each with how many instances it is to have ("few=1000"). Prints their tokens as JSON. Rows are
put in in bulk, as no controller is to work on them.
"""

import json
import sys
from ipaddress import ip_address
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402

from catalog.models import InstancePlacement, VolumeType  # noqa: E402
from compute.models import Instance, NetworkAttachment, Volume, VolumeAttachment  # noqa: E402
from cycloud.core.clock import now  # noqa: E402
from cycloud.core.conditions import READY, Condition, Status, to_json  # noqa: E402
from cycloud.core.iam.models import Project  # noqa: E402
from cycloud.core.quotas.models import ProjectQuota  # noqa: E402
from networking.models import NetworkInterface, Subnet  # noqa: E402
from tests.factories.compute import make_world  # noqa: E402
from tests.factories.iam import MembershipFactory, UserFactory  # noqa: E402
from tests.factories.rest import token_for  # noqa: E402

QUOTAS = ("instances", "vcpus", "memory", "volumes", "storage", "addresses")
BATCH = 2000


def main() -> None:
    tokens = {}
    for argument in sys.argv[1:]:
        project, _, wanted = argument.partition("=")
        tokens[project] = make_project(project)
        for first in range(0, int(wanted), BATCH):
            fill(project, first, min(BATCH, int(wanted) - first))
    # what a database in use has behind it, and what would otherwise run beside the calls that are timed
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    print(json.dumps(tokens))


def make_project(name: str) -> str:
    world = make_world()
    Project.objects.filter(pk=world.project.pk).update(resource_id=name)
    Subnet.objects.filter(pk=world.subnet.pk).update(resource_id="bench", cidr="10.0.0.0/12")
    for resource in QUOTAS:
        ProjectQuota.objects.create(project=world.project, resource=resource, limit=10**9)
    VolumeType.objects.filter(pk=world.shared.pk).update(resource_id=f"type-{name}")
    user = UserFactory.create(username=name)
    MembershipFactory.create(user=user, project=world.project, role="editor")
    return token_for(user)


def fill(name: str, first: int, number: int) -> None:
    """Put in instances ``first`` and on, each with a volume and a network interface."""
    subnet = Subnet.objects.select_related("project", "availability_zone").get(
        resource_id="bench", project__resource_id=name
    )
    project, zone = subnet.project, subnet.availability_zone
    kind = InstancePlacement.objects.filter(availability_zone=zone).earliest("pk").instance_type
    volume_type = VolumeType.objects.get(resource_id=f"type-{name}")
    settled = to_json([Condition(READY, Status.TRUE, "Updated", "", 1, last_transition_time=now())])
    common: dict[str, Any] = {
        "project": project,
        "conditions": settled,
        "observed_generation": 1,
    }
    ids = range(first, first + number)
    instances = Instance.objects.bulk_create(
        Instance(
            **common,
            resource_id=f"i-{n}",
            labels={"app": f"app-{n % 100}"},
            availability_zone=zone,
            instance_type=kind,
            run_instance_type=kind,
            state="RUNNING",
        )
        for n in ids
    )
    volumes = Volume.objects.bulk_create(
        Volume(
            **common,
            resource_id=f"vol-{n}",
            availability_zone=zone,
            volume_type=volume_type,
            size_gib=10,
        )
        for n in ids
    )
    base = int(ip_address("10.0.0.0"))
    interfaces = NetworkInterface.objects.bulk_create(
        NetworkInterface(
            **common,
            subnet=subnet,
            resource_id=f"ni-{n}",
            ip_number=base + n,
            ip_address=str(ip_address(base + n)),
            mac_address=f"02:00:{project.pk & 255:02x}:{n >> 16 & 255:02x}:{n >> 8 & 255:02x}:{n & 255:02x}",
        )
        for n in ids
    )
    VolumeAttachment.objects.bulk_create(
        VolumeAttachment(instance=instance, volume=volume, device_index=0)
        for instance, volume in zip(instances, volumes, strict=True)
    )
    NetworkAttachment.objects.bulk_create(
        NetworkAttachment(instance=instance, network_interface=interface, device_index=0)
        for instance, interface in zip(instances, interfaces, strict=True)
    )


if __name__ == "__main__":
    main()
