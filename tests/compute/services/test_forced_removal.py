"""Who may give up what cannot be removed in order, with what reason, and what the audit log keeps."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from compute.models import (
    Instance,
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
    Volume,
    VolumeBinding,
)
from compute.services.forced_removal import force_removal, is_held
from cycloud.core.aip.errors import (
    CycloudError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from cycloud.core.clock import now
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import AuditEntry
from cycloud.core.resources.reasons import REASON_LENGTH
from tests.compute.services.calls import is_due
from tests.factories.compute import OpenStackNetworkInterfaceFactory, World

OLGA = Actor("users/olga", is_operator=True)
KINDS = ["Instance", "Volume", "OpenStackInstance", "OpenStackVolume", "OpenStackNetworkInterface"]


def force(kind: str, uid: UUID, reason: str = "It burned down.", actor: Actor = OLGA) -> Any:
    return force_removal(actor=actor, kind=kind, uid=uid, reason=reason)


@pytest.fixture
def uids(world: World) -> dict[str, UUID]:
    """Rows of every kind, none of them being deleted."""
    instance = world.instance()
    nic = instance.network_attachments.get().network_interface
    port = OpenStackNetworkInterfaceFactory.create(network_interface=nic, cluster=world.old)
    volume = world.volume()
    rows: dict[str, Any] = {
        "Instance": instance,
        "Volume": volume,
        "OpenStackInstance": instance.provider_instance,
        "OpenStackVolume": OpenStackVolume.objects.get(binding__volume_uid=volume.uid),
        "OpenStackNetworkInterface": port,
    }
    return {kind: row.uid for kind, row in rows.items()}


def delete_all() -> None:
    """Let everything be in deletion, and every purge have begun."""
    time = now()
    Instance.objects.update(delete_time=time)
    Volume.objects.filter(attachment=None).update(delete_time=time, purge_time=time)
    free = Volume.objects.filter(attachment=None).values("uid")
    bindings = VolumeBinding.objects.filter(volume_uid__in=free)
    bindings.update(purge_time=time, purge_begun=time)
    OpenStackVolume.objects.filter(binding__in=bindings).update(wanted=False)
    OpenStackInstance.objects.update(wanted=False)
    OpenStackNetworkInterface.objects.update(wanted=False)


def counts() -> list[int]:
    models = (Instance, Volume, OpenStackInstance, OpenStackVolume, OpenStackNetworkInterface)
    return [model.objects.count() for model in models]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_being_deleted_is_refused(uids: dict[str, UUID], kind: str) -> None:
    before = counts()
    assert not is_held(kind, uids[kind])
    with pytest.raises(FailedPrecondition, match="not being deleted"):
        force(kind, uids[kind])
    assert counts() == before
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("reason", "actor", "error"),
    [
        ("", OLGA, InvalidArgument),
        (" \n\t", OLGA, InvalidArgument),
        ("x" * (REASON_LENGTH + 1), OLGA, InvalidArgument),
        ("Because.", Actor("users/dev"), PermissionDenied),
    ],
)
def test_no_reason_or_no_right_changes_nothing(
    uids: dict[str, UUID], kind: str, reason: str, actor: Actor, error: type[CycloudError]
) -> None:
    delete_all()
    before = counts()
    with pytest.raises(error):
        force(kind, uids[kind], reason, actor)
    assert counts() == before
    assert not AuditEntry.objects.exists()


def test_an_administrator_of_the_project_may_not(world: World, uids: dict[str, UUID]) -> None:
    delete_all()
    with pytest.raises(PermissionDenied):
        force("Instance", uids["Instance"], actor=world.actor(Role.ADMIN))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_gone_already_is_said_to_be(world: World, kind: str) -> None:
    with pytest.raises(NotFound, match="gone already"):
        force(kind, uuid4())


@pytest.mark.parametrize("kind", KINDS)
def test_the_audit_log_keeps_the_reason_and_what_may_be_left(
    uids: dict[str, UUID], kind: str
) -> None:
    delete_all()
    assert is_held(kind, uids[kind])
    left = force(kind, uids[kind], "  The hall burned down. ")
    entry = AuditEntry.objects.get()
    assert (entry.principal, entry.method) == ("users/olga", "ForceRemoval")
    assert entry.resource_name.startswith("projects/")
    assert entry.detail["reason"] == "The hall burned down."
    assert entry.detail["may_be_left"] == list(left)
    assert left


def test_an_instance_loses_its_list_and_both_kinds_of_provider_rows(
    uids: dict[str, UUID],
) -> None:
    delete_all()
    Instance.objects.update(finalizers=["example.com/backup"])
    force("Instance", uids["Instance"])
    instance = Instance.objects.get()
    assert (instance.finalizers, instance.revision) == ([], 2)
    assert not OpenStackInstance.objects.exists()
    assert not OpenStackNetworkInterface.objects.exists()
    assert is_due("instance", instance)
    assert AuditEntry.objects.get().detail["finalizers"] == [
        "example.com/backup",
        f"OpenStackInstance/{uids['OpenStackInstance']}",
        f"OpenStackNetworkInterface/{uids['OpenStackNetworkInterface']}",
    ]


def test_every_cluster_that_may_have_something_is_named(
    world: World, uids: dict[str, UUID]
) -> None:
    delete_all()
    OpenStackInstance.objects.update(
        server_id="", footprint=[str(world.old.uid), str(world.new.uid)]
    )
    left = force("OpenStackInstance", uids["OpenStackInstance"])
    names = sorted([world.old.resource_id, world.new.resource_id])
    assert left == (f"server of unknown id in {' or '.join(names)}",)
