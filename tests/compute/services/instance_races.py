"""Two writers that want the same thing at once. Run by test_instance_races.py, once per kind of database."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import connection

from compute.models import Instance, NetworkAttachment, Volume, VolumeAttachment
from compute.services.instance_attachments import attach_volume
from compute.services.instances import NetworkInterfaceReference, VolumeReference, create_instance
from compute.services.volumes import delete_volume
from cycloud.core.aip.errors import CycloudError
from cycloud.core.aip.writes import WriteOptions, Written
from tests.compute.services.calls import call, create, instance_input
from tests.factories.compute import World, make_world

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(transactional_db: None) -> World:
    return make_world()


def race(*writes: Callable[[], object]) -> list[str]:
    """Run all at once; return "done", or the reason of its refusal, for each."""
    barrier = Barrier(len(writes))

    def work(write: Callable[[], object]) -> str:
        barrier.wait(timeout=60)
        try:
            write()
        except CycloudError as error:
            return error.reason
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(len(writes)) as pool:
        return list(pool.map(work, writes))


@pytest.mark.parametrize("attempt", range(5))
def test_one_of_two_instances_gets_the_volume(world: World, attempt: int) -> None:
    instances = [world.instance(desired_state="STOPPED") for _ in range(2)]
    volume = world.volume()

    def attach(instance: Instance) -> Callable[[], object]:
        return lambda: call(world, attach_volume, instance, volume_id=volume.resource_id)

    outcomes = race(*map(attach, instances))
    assert sorted(outcomes) == ["VOLUME_ATTACHED", "done"]
    winner = instances[outcomes.index("done")]
    assert VolumeAttachment.objects.get(volume=volume).instance == winner
    assert Instance.objects.filter(generation=2).get() == winner


def test_one_of_two_new_instances_gets_the_interface(world: World) -> None:
    interface = NetworkInterfaceReference(world.network_interface().resource_id)
    outcomes = race(
        lambda: create(world, "one", network_interfaces=(interface,)),
        lambda: create(world, "two", network_interfaces=(interface,)),
    )
    assert sorted(outcomes) == ["NETWORK_INTERFACE_ATTACHED", "done"]
    assert Instance.objects.count() == NetworkAttachment.objects.count() == 1
    # nothing is left of the one that was refused
    assert Volume.objects.count() == 1


def test_volumes_named_in_opposite_order_lead_to_a_refusal_and_no_deadlock(world: World) -> None:
    first, second = (VolumeReference(world.volume().resource_id) for _ in range(2))
    outcomes = race(
        lambda: create(world, "one", volumes=(first, second)),
        lambda: create(world, "two", volumes=(second, first)),
    )
    assert sorted(outcomes) == ["VOLUME_ATTACHED", "done"]


def test_one_of_two_gets_the_name(world: World) -> None:
    outcomes = race(lambda: create(world), lambda: create(world))
    assert sorted(outcomes) == ["ALREADY_EXISTS", "done"]
    assert Instance.objects.count() == Volume.objects.count() == 1


def test_a_volume_is_attached_or_deleted_but_never_both(world: World) -> None:
    instance, volume = world.instance(desired_state="STOPPED"), world.volume()
    outcomes = race(
        lambda: call(world, attach_volume, instance, volume_id=volume.resource_id),
        lambda: delete_volume(
            actor=world.actor(),
            project_id=world.project.resource_id,
            volume_id=volume.resource_id,
        ),
    )
    assert outcomes in (["done", "VOLUME_ATTACHED"], ["VOLUME_DELETED", "done"])
    volume.refresh_from_db()
    attached = VolumeAttachment.objects.filter(volume=volume).exists()
    assert attached is (volume.delete_time is None)


@pytest.mark.parametrize("instance_id", ["", "web"])
def test_one_request_sent_twice_makes_one_instance(world: World, instance_id: str) -> None:
    options = WriteOptions(request_id=uuid4())
    made: list[Written[Instance]] = []

    def send() -> None:
        made.append(
            create_instance(
                actor=world.actor(),
                project_id=world.project.resource_id,
                instance_id=instance_id,
                data=instance_input(world),
                options=options,
            )
        )

    assert race(send, send) == ["done", "done"]
    assert made[0].operation == made[1].operation
    assert Instance.objects.count() == Volume.objects.count() == 1
