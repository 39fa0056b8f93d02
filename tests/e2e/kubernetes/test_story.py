"""GitOps on two real clouds: a folder of manifests is applied, edited and deleted; bytes and addresses stay."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from compute.models import OpenStackVolume, Volume, VolumeBinding
from compute.reconcilers.wakeups import wake_binding, wake_openstack_volume
from cycloud.core.iam.actor import system_actor
from cycloud.core.reconcile.queue import enqueue
from networking.models import OpenStackSubnet
from networking.services.subnets import delete_subnet
from tests.e2e.harness import pool
from tests.e2e.harness.clouds import UID_KEY, RealCloud, wait_for
from tests.e2e.harness.machine import OFFSET
from tests.e2e.harness.seed import Facts
from tests.e2e.kubernetes.harness.api import Json
from tests.e2e.kubernetes.harness.server import ApiServer
from tests.e2e.kubernetes.harness.tenant import Tenant
from tests.e2e.kubernetes.harness.waiting import until
from tests.e2e.kubernetes.harness.world import World, real_world

RETENTION = timedelta(days=7)
NAME, ADDRESS = "shop", "10.0.1.23"
VOLUMES = (f"{NAME}-root", f"{NAME}-data")
# clouds take their time
SECONDS = 180

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def world(
    server: ApiServer, database: None, clouds: dict[str, RealCloud], facts: Facts
) -> Iterator[World]:
    week = replace(facts, short_retention_seconds=int(RETENTION.total_seconds()))
    with real_world(server, week) as world:
        yield world


@pytest.fixture(scope="module")
def tenant(world: World) -> Iterator[Tenant]:
    """A project; at the end its subnet goes, and with it the clouds' networks."""
    tenant = world.tenant("gitops")
    yield tenant
    delete_subnet(actor=system_actor("suites"), project_id="gitops", subnet_id="main")
    until(lambda: not OpenStackSubnet.objects.exists(), "end of the subnet", SECONDS)


@dataclass(frozen=True)
class Seen:
    """What must be the same wherever the instance runs."""

    uid: str
    addresses: tuple[tuple[str, str], ...]
    volume_uids: tuple[str, ...]
    digests: tuple[str, ...]


class Repository:
    """A folder of manifests, as in Git, and the instance that it declares."""

    def __init__(self, folder: Path, tenant: Tenant, clouds: dict[str, RealCloud]) -> None:
        self.folder, self.tenant, self.clouds = folder, tenant, clouds
        short = tenant.offer.short_volume_type
        self.manifests = {
            "instance.yaml": tenant.instance(NAME),
            "root.yaml": tenant.volume(VOLUMES[0], boot=True, volumeType=short),
            "data.yaml": tenant.volume(VOLUMES[1], volumeType=short),
            "interface.yaml": tenant.interface(NAME, ADDRESS),
        }

    def apply(self, **changes: str) -> None:
        """Commit a change of the instance's declaration, and apply the folder."""
        self.manifests["instance.yaml"]["spec"] |= changes
        for name, manifest in self.manifests.items():
            (self.folder / name).write_text(yaml.safe_dump(manifest))
        self.tenant.kubectl("apply", "-f", str(self.folder))

    def delete(self) -> None:
        """Delete the folder's objects, and wait until each is gone."""
        self.tenant.kubectl("delete", "-f", str(self.folder), f"--timeout={SECONDS}s")

    def wait(self, state: str) -> Json:
        """Wait until the instance is in that state and Ready for what is declared now."""
        words = ("wait", f"instance/{NAME}", f"--timeout={SECONDS}s")
        self.tenant.kubectl(*words, f"--for=jsonpath={{.status.state}}={state}")
        return self.tenant.api.wait_ready("instances", NAME, SECONDS)

    # -- what is behind it

    def servers(self, cloud: str) -> list[str]:
        uid = self._uid("instances", NAME)
        found = self.clouds[cloud].servers()
        return [f"{s.id} {s.status}" for s in found if s.metadata.get(UID_KEY) == uid]

    def images(self) -> dict[str, str]:
        """Return the names of the volumes' images in the pool, by the volumes' names."""
        images = {}
        for name in VOLUMES:
            uid = self._uid("volumes", name)
            found = [
                volume.id
                for cloud in self.clouds.values()
                for volume in cloud.volumes()
                if volume.metadata.get(UID_KEY) == uid
            ]
            assert len(found) == 1, f"{name} is there {len(found)} times"
            images[name] = pool.image_name(found[0])
        return images

    def seen(self) -> Seen:
        instance = self.tenant.api.wait_ready("instances", NAME, SECONDS)
        images = self.images()
        digests = pool.digests(images.values())
        return Seen(
            uid=instance["status"]["uid"],
            addresses=tuple(
                (nic["ipAddress"], nic["macAddress"])
                for nic in instance["status"]["networkInterfaces"]
            ),
            volume_uids=tuple(self._uid("volumes", name) for name in VOLUMES),
            digests=tuple(digests[images[name]] for name in VOLUMES),
        )

    def _uid(self, plural: str, name: str) -> str:
        found = self.tenant.api.get(plural, name)
        assert found is not None
        return str(found["status"]["uid"])


def _images_left(uid: str) -> set[str]:
    """Names in the pool that the volume ever had: manage gives the data a new one."""
    ids = (id_ for id_, owner in pool.lineage(UID_KEY).items() if owner == uid)
    return {pool.image_name(id_) for id_ in ids} & pool.names()


def _wake_all(volume: Volume) -> None:
    """Ask every controller of the volume, as any event or resync may at any time."""
    enqueue("volume", volume.uid)
    wake_binding(VolumeBinding.objects.get(volume_uid=volume.uid))
    wake_openstack_volume(OpenStackVolume.objects.get(binding__volume_uid=volume.uid))


def test_a_folder_is_applied_moved_by_an_edit_deleted_and_purged(
    world: World, tenant: Tenant, clouds: dict[str, RealCloud], tmp_path: Path
) -> None:
    repository = Repository(tmp_path, tenant, clouds)
    before = _runs_in_a(repository)
    _moves_to_b(repository, before)
    _is_deleted_and_kept_until_the_purge(world, repository, before)


def _runs_in_a(repository: Repository) -> Seen:
    repository.apply()
    instance = repository.wait("Running")
    assert instance["status"]["ipAddress"] == ADDRESS
    assert [server.split()[1] for server in repository.servers("a")] == ["ACTIVE"]
    assert repository.servers("b") == []
    for name, image in repository.images().items():
        pool.write(image, OFFSET, f"bytes of {name}")
    return repository.seen()


def _moves_to_b(repository: Repository, before: Seen) -> None:
    """A new type touches nothing while it runs; stopped and started again, it runs in the other cloud."""
    servers, api = repository.servers("a"), repository.tenant.api
    repository.apply(instanceType=repository.tenant.offer.small_in_b)
    api.wait_condition("instances", NAME, "UpToDate", "False", "RestartRequired")
    assert repository.servers("a") == servers
    repository.apply(desiredState="Stopped")
    repository.wait("Stopped")
    repository.apply(desiredState="Running")
    repository.wait("Running")
    api.wait_condition("instances", NAME, "UpToDate", "True")
    assert repository.servers("a") == []
    assert [server.split()[1] for server in repository.servers("b")] == ["ACTIVE"]
    assert repository.seen() == before
    for name, image in repository.images().items():
        text = f"bytes of {name}"
        assert pool.read(image, OFFSET, len(text)) == text


def _is_deleted_and_kept_until_the_purge(
    world: World, repository: Repository, before: Seen
) -> None:
    images, api = repository.images(), repository.tenant.api
    repository.delete()
    for plural in ("instances", "volumes", "networkinterfaces", "openstackinstances"):
        assert api.all(plural) == [], plural
    assert repository.clouds["b"].left().get("servers", []) == []
    rows = list(Volume.objects.filter(uid__in=before.volume_uids))
    purge_times = [row.purge_time for row in rows if row.purge_time is not None]
    assert len(purge_times) == len(VOLUMES)
    with world.loops.paused():
        world.clock.set(min(purge_times) - timedelta(seconds=60))
        for row in rows:
            _wake_all(row)
    _is_left_alone(world, repository, images, before)
    world.clock.set(max(purge_times))
    for name in VOLUMES:
        api.wait_gone("volumebindings", name, SECONDS)
    until(
        lambda: not Volume.objects.filter(uid__in=before.volume_uids).exists(), "the purge", SECONDS
    )
    for uid in before.volume_uids:
        assert _images_left(uid) == set()


def _is_left_alone(
    world: World, repository: Repository, images: dict[str, str], before: Seen
) -> None:
    """A minute before the purge time, after every controller has looked: the data, and the bindings that name it."""
    before_that = world.loops.clouds.passes
    until(
        lambda: world.loops.clouds.passes >= before_that + len(VOLUMES), "the controllers' passes"
    )
    assert repository.tenant.api.names("volumebindings") == set(VOLUMES)
    digests = pool.digests(images.values())
    assert tuple(digests[images[name]] for name in VOLUMES) == before.digests
    assert not VolumeBinding.objects.exclude(purge_begun=None).exists()


@pytest.fixture(scope="module", autouse=True)
def _nothing_left(clouds: dict[str, RealCloud]) -> Iterator[None]:
    """Whatever a failure left in the clouds goes at the end: other suites count what is there."""
    had = {name: {volume.id for volume in cloud.volumes()} for name, cloud in clouds.items()}
    yield
    for name, cloud in clouds.items():
        for volume in cloud.volumes():
            if volume.id not in had[name] and volume.status != "in-use":
                cloud.sdk.block_storage.delete_volume(volume.id, ignore_missing=True)
                wait_for(
                    "end of a volume",
                    lambda id_=volume.id, cloud=cloud: cloud.volume_status(id_),  # type: ignore[misc]
                    lambda status: status is None,
                )
