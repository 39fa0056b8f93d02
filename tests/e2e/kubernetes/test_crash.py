"""The sync dies before and after each of its calls, and each answer is lost once: the end is always the same.

Each point has objects of its own: what was written to an API server cannot be taken back. The watcher does not run; the
story asks for what it would ask for.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from catalog.models import InstanceType
from compute.models import Volume
from compute.services.volume_input import VolumeInput
from compute.services.volumes import create_volume, delete_volume
from cycloud.core.iam.actor import system_actor
from cycloud.kubernetes.handover import adopt, release
from cycloud.kubernetes.marks import mark
from networking.models import NetworkInterface
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    create_network_interface,
    delete_network_interface,
    update_network_interface,
)
from tests.e2e.kubernetes.harness.api import GROUPS, Json
from tests.e2e.kubernetes.harness.server import ApiServer
from tests.e2e.kubernetes.harness.stepping import Hit, Mode, Stepper
from tests.e2e.kubernetes.harness.tenant import Tenant
from tests.e2e.kubernetes.harness.world import World, stepped_world
from tests.support.engine import describe

Step = Callable[[Tenant, str], None]
PROJECT = "crash"
SHOWN = 5
# of all points every how many-th is tried
STRIDE = int(os.environ.get("CYCLOUD_KUBERNETES_CRASH_STRIDE", "1"))


@dataclass(frozen=True)
class Scene:
    world: World
    stepper: Stepper
    tenant: Tenant


@dataclass(frozen=True)
class Story:
    """``plural``: the objects that it is about; ``end``: what their conditions come to, None where they are gone.

    ``every``: of its points only every so-many-th is tried.
    """

    plural: str
    prepare: Step
    step: Step
    end: dict[str, str] | None
    every: int = 1


SHOWN_ONLY = {"Ready": "True"}
TAKEN_IN = {"Ready": "True", "Accepted": "True"}
REFUSED = {"Accepted": "False"}


@pytest.fixture(scope="module")
def scene(server: ApiServer, database: None) -> Iterator[Scene]:
    with stepped_world(server) as world:
        stepper = Stepper(world.clock)
        with stepper.watched():
            tenant = world.tenant(PROJECT, wait=False)
            stepper.settle()
            yield Scene(world, stepper, tenant)


# -- what is there before, and what is done


def _nothing(tenant: Tenant, name: str) -> None:
    """Each story begins in a project whose namespace is there."""


def _create(tenant: Tenant, name: str) -> None:
    create_network_interface(
        actor=tenant.actor,
        project_id=tenant.project_id,
        data=NetworkInterfaceInput("main"),
        network_interface_id=name,
    )


def _rename(tenant: Tenant, name: str) -> None:
    update_network_interface(
        actor=tenant.actor,
        project_id=tenant.project_id,
        network_interface_id=name,
        changes={"display_name": "renamed", "labels": {"team": "web"}},
    )


def _delete(tenant: Tenant, name: str) -> None:
    delete_network_interface(
        actor=tenant.actor, project_id=tenant.project_id, network_interface_id=name
    )


def _delete_and_create(tenant: Tenant, name: str) -> None:
    _delete(tenant, name)
    _create(tenant, name)


def _apply(tenant: Tenant, name: str) -> None:
    tenant.api.apply(tenant.interface(name))
    _tell(tenant, name)


def _apply_renamed(tenant: Tenant, name: str) -> None:
    tenant.api.apply(tenant.interface(name, displayName="renamed"))
    _tell(tenant, name)


def _apply_what_is_refused(tenant: Tenant, name: str) -> None:
    tenant.api.apply(tenant.interface(name, "192.168.99.9"))
    _tell(tenant, name)


def _delete_object(tenant: Tenant, name: str) -> None:
    tenant.api.delete("networkinterfaces", name)
    _tell(tenant, name)


def _write_what_is_ours(tenant: Tenant, name: str) -> None:
    tenant.api.merge("networkinterfaces", name, {"spec": {"displayName": "mine now"}})
    _tell(tenant, name)


def _write_the_status(tenant: Tenant, name: str) -> None:
    tenant.api.merge_status("networkinterfaces", name, {"ipAddress": "192.0.2.1"})
    _tell(tenant, name)


def _adopt(tenant: Tenant, name: str) -> None:
    adopt(
        actor=system_actor("suites"),
        kind="NetworkInterface",
        name=f"{tenant.parent}/networkInterfaces/{name}",
    )


def _release(tenant: Tenant, name: str) -> None:
    release(
        actor=system_actor("suites"),
        kind="NetworkInterface",
        name=f"{tenant.parent}/networkInterfaces/{name}",
    )


def _tell(tenant: Tenant, name: str) -> None:
    """What the watcher does."""
    mark("NetworkInterface", f"{tenant.parent}/networkInterfaces/{name}")


def _create_volume(tenant: Tenant, name: str) -> None:
    data = VolumeInput(tenant.offer.volume_type, tenant.offer.zone, 1)
    create_volume(actor=tenant.actor, project_id=PROJECT, data=data, volume_id=name)


def _delete_volume(tenant: Tenant, name: str) -> None:
    delete_volume(actor=tenant.actor, project_id=PROJECT, volume_id=name)


def _apply_volume(tenant: Tenant, name: str) -> None:
    tenant.api.apply(tenant.volume(name))
    mark("Volume", f"{tenant.parent}/volumes/{name}")


def _delete_volume_object(tenant: Tenant, name: str) -> None:
    tenant.api.delete("volumes", name)
    mark("Volume", f"{tenant.parent}/volumes/{name}")


def _type(name: str, gibibytes: int) -> Json:
    place = {
        "name": "apne1a",
        "computeCluster": {"kind": "OpenStackCluster", "name": "gen8"},
        "providerID": "901",
    }
    spec = {
        "cpuInfo": {"vcpus": 1},
        "memoryInfo": {"sizeBytes": gibibytes << 30},
        "availabilityZones": [place],
    }
    return {
        "apiVersion": f"{GROUPS['instancetypes']}/v1",
        "kind": "InstanceType",
        "metadata": {"name": name},
        "spec": spec,
    }


def _apply_type(tenant: Tenant, name: str) -> None:
    tenant.api.apply(_type(name, 1))
    mark("InstanceType", f"instanceTypes/{name}")


def _apply_larger_type(tenant: Tenant, name: str) -> None:
    tenant.api.apply(_type(name, 2))
    mark("InstanceType", f"instanceTypes/{name}")


def _delete_type_object(tenant: Tenant, name: str) -> None:
    tenant.api.delete("instancetypes", name)
    mark("InstanceType", f"instanceTypes/{name}")


STORIES: dict[str, Story] = {
    "create": Story("networkinterfaces", _nothing, _create, SHOWN_ONLY),
    "update": Story("networkinterfaces", _create, _rename, SHOWN_ONLY),
    "delete": Story("networkinterfaces", _create, _delete, None),
    "delete-and-create": Story("networkinterfaces", _create, _delete_and_create, SHOWN_ONLY),
    "put-back": Story("networkinterfaces", _create, _write_what_is_ours, SHOWN_ONLY),
    "put-back-a-status": Story("networkinterfaces", _create, _write_the_status, SHOWN_ONLY),
    "adopt": Story("networkinterfaces", _create, _adopt, TAKEN_IN),
    "release": Story("networkinterfaces", _apply, _release, SHOWN_ONLY),
    "take-in": Story("networkinterfaces", _nothing, _apply, TAKEN_IN),
    "take-a-change": Story("networkinterfaces", _apply, _apply_renamed, TAKEN_IN),
    "take-a-deletion": Story("networkinterfaces", _apply, _delete_object, None),
    "refuse": Story("networkinterfaces", _nothing, _apply_what_is_refused, REFUSED),
    "take-a-type": Story("instancetypes", _nothing, _apply_type, TAKEN_IN),
    "take-a-type's-change": Story("instancetypes", _apply_type, _apply_larger_type, TAKEN_IN),
    "take-a-type's-deletion": Story("instancetypes", _apply_type, _delete_type_object, None),
    # with what is behind them in the clouds, whose passes take most of the time
    "create-volume": Story("volumes", _nothing, _create_volume, SHOWN_ONLY, every=5),
    "delete-volume": Story("volumes", _create_volume, _delete_volume, None, every=2),
    "take-a-volume": Story("volumes", _nothing, _apply_volume, TAKEN_IN, every=7),
    "take-a-volume's-deletion": Story(
        "volumes", _apply_volume, _delete_volume_object, None, every=2
    ),
}


# -- what it comes to


def _end(scene: Scene, plural: str, name: str) -> Json:
    """What is left of a story, in words that do not depend on its name, on ids and times."""
    api, model = scene.tenant.api, _MODELS[plural]
    found = api.get(plural, name)
    rows: list[Any] = list(model.objects.filter(resource_id=name))
    uids = {str(row.uid) for row in rows}
    clouds = scene.world.simulated.site.clouds.values()
    provider = [
        v for c in clouds for v in c.volumes.values() if v.metadata.get("cycloud_uid") in uids
    ]
    return {
        "object": found and _plain(found, plural, name),
        "rows": [
            (
                row.display_name,
                getattr(row, "delete_time", None) is not None,
                # what is in the catalog is always ready
                getattr(row, "is_ready", True),
                row.managed_by.replace(name, "NAME"),
            )
            for row in rows
        ],
        "uid": str(((found or {}).get("status") or {}).get("uid", "")) in {*uids, ""},
        "in the clouds": [(v.size, v.status) for v in provider],
        "events": sorted({(e["reason"], e["type"]) for e in api.events(name)}),
        "bindings": len([b for b in api.all("volumebindings") if b["metadata"]["name"] == name]),
    }


_MODELS: dict[str, type[Any]] = {
    "instancetypes": InstanceType,
    "networkinterfaces": NetworkInterface,
    "volumes": Volume,
}


def _plain(found: Json, plural: str, name: str) -> Json:
    metadata, status = found["metadata"], found.get("status") or {}
    conditions = [
        (c["type"], c["status"], c["reason"], c["observedGeneration"] - metadata["generation"])
        for c in status.get("conditions", [])
    ]
    return {
        # the address is the next one that is free
        "spec": {key: value for key, value in found["spec"].items() if key != "ipAddress"},
        "labels": metadata.get("labels"),
        "finalizers": metadata.get("finalizers", []),
        "deleting": "deletionTimestamp" in metadata,
        "writers": sorted({entry["manager"] for entry in metadata["managedFields"]}),
        "conditions": sorted(conditions),
        "settled": status.get("observedGeneration") == metadata["generation"],
    }


def _play(scene: Scene, story: Story, name: str, hit: Hit | None) -> Json:
    scene.stepper.begin()
    story.prepare(scene.tenant, name)
    scene.stepper.settle()
    story.step(scene.tenant, name)
    scene.stepper.begin(hit)
    scene.stepper.settle()
    struck = scene.stepper.struck
    end = _end(scene, story.plural, name)
    if story.end == REFUSED:
        # it would be tried again with every change of the catalog
        calls = scene.stepper.calls
        _delete_object(scene.tenant, name)
        scene.stepper.begin()
        scene.stepper.settle()
        scene.stepper.calls, scene.stepper.struck = calls, struck
    return end


@pytest.mark.parametrize("key", STORIES)
def test_every_point_leads_to_the_same_end(
    scene: Scene, key: str, record_property: Callable[[str, object], None]
) -> None:
    story, stem = STORIES[key], key.replace("'", "")
    expected = _play(scene, story, f"{stem}-whole", None)
    calls = [call.replace(f"{stem}-whole", "NAME") for call in scene.stepper.calls]
    points = [(place, mode) for place in range(len(calls)) for mode in Mode]
    assert points
    assert _conditions(expected) == story.end, f"{expected} {calls} {describe()}"
    failures: list[str] = []
    tried = points[:: story.every * STRIDE]
    for place, mode in tried:
        found = _play(scene, story, f"{stem}-{place}-{mode}", Hit(place, mode))
        what = f"{mode} {calls[place]} ({place})"
        if not scene.stepper.struck:
            failures.append(f"{what}: the story did not come to this point again")
        elif found != expected:
            failures.append(f"{what}: {_differences(expected, found)}")
    counts = {str(mode): len([m for _, m in tried if m == mode]) for mode in Mode}
    record_property("crash_points", {"story": f"kubernetes {key}", **counts})
    shown = "\n".join(failures[:SHOWN])
    assert not failures, f"{len(failures)} of {len(tried)} points failed\n{shown}"


def _conditions(end: Json) -> dict[str, str] | None:
    """The end of the story without a hit is the right one."""
    if end["object"] is None:
        return None
    return {type_: status for type_, status, *_ in end["object"]["conditions"]}


def _differences(expected: Json, found: Json) -> str:
    wrong: list[Any] = [
        f"{key}: {found[key]} instead of {expected[key]}"
        for key in expected
        if expected[key] != found[key]
    ]
    return "\n  ".join(wrong)
