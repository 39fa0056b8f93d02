"""The purge time to the second, on the real clouds: the reconcilers run in this process, with the test's own clock.

``test_retention.py`` shows the same over REST with real time; only an injected clock can stand one second
before a purge time that is a week away.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import pytest

from compute.models import OpenStackVolume, Volume, VolumeBinding
from compute.reconcilers.wakeups import wake_binding, wake_openstack_volume
from compute.services.volume_input import VolumeInput
from compute.services.volumes import create_volume, delete_volume
from cycloud.core.aip.models import Operation
from cycloud.core.iam.actor import Actor, Role, system_actor
from cycloud.core.iam.models import Project
from cycloud.core.reconcile.queue import enqueue
from cycloud.openstack.sessions import forget_clients
from tests.e2e.harness import pool
from tests.e2e.harness.clouds import UID_KEY, RealCloud, wait_for
from tests.e2e.harness.seed import IMAGE, SHORT_VOLUME_TYPE, ZONE, Facts, seed_catalog
from tests.support.engine import Clock, describe, frozen_clock, settle

PROJECT = "purges"
RETENTION = timedelta(days=7)
BYTES, OFFSET = "kept to the second", 7 << 20
ACTOR = Actor("users/dev", roles={PROJECT: Role.EDITOR})


@dataclass(frozen=True)
class Kept:
    """A volume with bytes of its own, deleted, and where its data is."""

    row: Volume
    cloud: RealCloud
    provider_id: str

    @property
    def image(self) -> str:
        return pool.image_name(self.provider_id)


@pytest.fixture
def clock(db: None) -> Iterator[Clock]:
    """The portal's clock; the clouds have their own, months away."""
    forget_clients()
    with frozen_clock() as clock:
        yield clock
    forget_clients()


def _until(clock: Clock, done: Callable[[], bool]) -> None:
    """Run what is due, again and again, until ``done``; the portal's clock runs ahead of the clouds'."""

    def look() -> bool:
        settle(clock, seconds=2)
        return done()

    try:
        wait_for("the controllers", look, bool, 180)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{describe()}") from None


@pytest.fixture
def deleted(clock: Clock, clouds: dict[str, RealCloud], facts: Facts) -> Iterator[Kept]:
    """A volume whose delete the controllers have carried out; whatever is left of it is removed at the end."""
    week = replace(facts, short_retention_seconds=int(RETENTION.total_seconds()))
    seed_catalog(system_actor("purges"), week)
    Project.objects.create(resource_id=PROJECT)
    written = create_volume(
        actor=ACTOR,
        project_id=PROJECT,
        volume_id="kept",
        data=VolumeInput(SHORT_VOLUME_TYPE, ZONE, 1, image=IMAGE),
    )
    row = written.resource
    assert row is not None
    uid = row.uid
    try:
        _until(clock, lambda: Volume.objects.get(uid=uid).is_ready)
        binding = VolumeBinding.objects.select_related("cluster").get(volume_uid=uid)
        assert binding.cluster is not None
        cloud = clouds[binding.cluster.cloud_name]
        pool.write(pool.image_name(binding.provider_id), OFFSET, BYTES)
        delete_volume(actor=ACTOR, project_id=PROJECT, volume_id="kept")
        settle(clock, seconds=30)
        yield Kept(Volume.objects.get(uid=uid), cloud, binding.provider_id)
    finally:
        for cloud in clouds.values():
            _remove(cloud, uid)


def _remove(cloud: RealCloud, uid: UUID) -> None:
    for volume in cloud.volumes():
        if volume.metadata.get(UID_KEY) == str(uid):
            cloud.sdk.block_storage.delete_volume(volume.id, ignore_missing=True)
            wait_for(
                "end of the volume",
                lambda id_=volume.id: cloud.volume_status(id_),  # type: ignore[misc]
                lambda status: status is None,
            )


def _wake_all(volume: Volume) -> None:
    """Ask every controller of the volume, as any event or resync may at any time."""
    enqueue("volume", volume.uid)
    wake_binding(VolumeBinding.objects.get(volume_uid=volume.uid))
    wake_openstack_volume(OpenStackVolume.objects.get(binding__volume_uid=volume.uid))


def _images_left(uid: UUID) -> set[str]:
    """Names in the pool that the volume ever had: manage gives the data a new one."""
    ids = (id_ for id_, owner in pool.lineage(UID_KEY).items() if owner == str(uid))
    return {pool.image_name(id_) for id_ in ids} & pool.names()


def _stand_a_second_before_the_purge(clock: Clock, kept: Kept) -> None:
    """Move the clock there and let every controller look, which must change nothing."""
    purge_time = kept.row.purge_time
    assert purge_time is not None
    assert kept.row.delete_time is not None
    assert purge_time - kept.row.delete_time == RETENTION
    clock.time = purge_time - timedelta(seconds=1)
    _wake_all(kept.row)
    assert settle(clock, seconds=0) >= 3
    assert clock.time < purge_time
    assert kept.cloud.volume_status(kept.provider_id) == "available"
    assert pool.read(kept.image, OFFSET, len(BYTES)) == BYTES
    assert VolumeBinding.objects.get(volume_uid=kept.row.uid).purge_begun is None


def _reach_the_purge_time(clock: Clock, kept: Kept) -> None:
    """Move the clock there, wait for the end of the row, and see that record and image are gone by then."""
    assert kept.row.purge_time is not None
    clock.time = kept.row.purge_time
    _until(clock, lambda: not Volume.objects.filter(uid=kept.row.uid).exists())
    assert _images_left(kept.row.uid) == set()
    assert kept.cloud.volume_status(kept.provider_id) is None
    assert not VolumeBinding.objects.filter(volume_uid=kept.row.uid).exists()
    assert not Operation.objects.filter(done=False).exists()


def test_the_data_is_there_a_second_before_the_purge_time_and_gone_at_it(
    clock: Clock, deleted: Kept
) -> None:
    _stand_a_second_before_the_purge(clock, deleted)
    _reach_the_purge_time(clock, deleted)


def test_data_that_no_cloud_manages_at_its_purge_time_leaves_the_pool_as_well(
    clock: Clock, deleted: Kept
) -> None:
    _stand_a_second_before_the_purge(clock, deleted)
    deleted.cloud.sdk.block_storage.unmanage_volume(deleted.provider_id)
    wait_for(
        "unmanage",
        lambda: deleted.cloud.volume_status(deleted.provider_id),
        lambda status: status is None,
    )
    assert _images_left(deleted.row.uid) == {deleted.image}
    _reach_the_purge_time(clock, deleted)
