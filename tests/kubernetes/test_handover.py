"""adopt and release: who may, what is refused, and what each changes."""

from collections.abc import Iterator
from typing import Any

import pytest

from compute.models import Instance
from compute.services.instance_power import stop_instance
from cycloud.core.aip.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from cycloud.core.changes.models import Change
from cycloud.core.clock import now
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import AuditEntry
from cycloud.core.reconcile.models import DueRow
from cycloud.kubernetes.handover import adopt, can_adopt, release
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.registry import _by_rows, _kinds
from networking.models import Subnet
from tests.factories.catalog import InstanceTypeFactory
from tests.factories.compute import InstanceFactory
from tests.factories.iam import OPERATOR, ServiceAccountFactory
from tests.factories.networking import SubnetFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kubernetes(settings: Any) -> Iterator[None]:
    settings.CYCLOUD_KUBERNETES_ENABLED = True
    settings.CYCLOUD_KUBERNETES_KINDS = ["tests.kubernetes.stub_kinds.KINDS"]
    settings.CYCLOUD_MIRRORS = ["cycloud.kubernetes.marks.mark_changed"]
    _kinds.cache_clear()
    _by_rows.cache_clear()
    yield
    _kinds.cache_clear()
    _by_rows.cache_clear()


@pytest.fixture
def instance() -> Instance:
    """An instance of a project whose namespace is bound."""
    instance: Instance = InstanceFactory.create(resource_id="web-1", project__resource_id="p")
    account = ServiceAccountFactory.create(project=instance.project)
    NamespaceBinding.objects.create(
        project=instance.project, namespace="team-p", service_account=account
    )
    return instance


def due() -> set[tuple[str, str]]:
    return set(DueRow.objects.filter(controller="kubernetes").values_list("queue", "key"))


def test_an_adopted_instance_is_declared_by_its_object_and_only_there(instance: Instance) -> None:
    path = adopt(actor=OPERATOR, kind="Instance", name=instance.name)
    assert path == "namespaces/team-p/instances/web-1"
    revision = instance.revision
    instance.refresh_from_db()
    assert (instance.managed_by, instance.revision) == (path, revision + 1)
    assert due() == {("kubernetes", f"Instance:{instance.name}")}
    with pytest.raises(FailedPrecondition, match=path):
        stop_instance(actor=OPERATOR, project_id="p", instance_id="web-1")


def test_handing_over_is_in_the_audit_log_and_the_change_feed(instance: Instance) -> None:
    path = adopt(actor=OPERATOR, kind="Instance", name=instance.name)
    release(actor=OPERATOR, kind="Instance", name=instance.name)
    entries = AuditEntry.objects.order_by("pk").values_list("method", "resource_name", "detail")
    assert list(entries) == [
        ("AdoptInstance", instance.name, {"manager": path, "earlier": ""}),
        ("ReleaseInstance", instance.name, {"manager": "", "earlier": path}),
    ]
    assert Change.objects.filter(uid=instance.uid).count() == 2


def test_a_released_instance_is_the_apis_again(instance: Instance) -> None:
    adopt(actor=OPERATOR, kind="Instance", name=instance.name)
    DueRow.objects.all().delete()
    release(actor=OPERATOR, kind="Instance", name=instance.name)
    instance.refresh_from_db()
    assert instance.managed_by == ""
    assert due() == {("kubernetes", f"Instance:{instance.name}")}
    stop_instance(actor=OPERATOR, project_id="p", instance_id="web-1")


def test_a_second_time_changes_nothing(instance: Instance) -> None:
    for _ in range(2):
        adopt(actor=OPERATOR, kind="Instance", name=instance.name)
    instance.refresh_from_db()
    revision = instance.revision
    assert AuditEntry.objects.count() == 1
    for _ in range(2):
        release(actor=OPERATOR, kind="Instance", name=instance.name)
    instance.refresh_from_db()
    assert (instance.revision, AuditEntry.objects.count()) == (revision + 1, 2)


def test_what_was_adopted_into_another_namespace_comes_into_the_present_one(
    instance: Instance,
) -> None:
    Instance.objects.update(managed_by="namespaces/old/instances/web-1")
    path = adopt(actor=OPERATOR, kind="Instance", name=instance.name)
    instance.refresh_from_db()
    assert instance.managed_by == path


def test_the_catalog_needs_no_namespace() -> None:
    kind = InstanceTypeFactory.create(resource_id="m8a.medium")
    assert adopt(actor=OPERATOR, kind="InstanceType", name=kind.name) == "instancetypes/m8a.medium"
    kind.refresh_from_db()
    assert (kind.managed_by, kind.revision) == ("instancetypes/m8a.medium", 2)
    assert due() == {("kubernetes", "InstanceType:instanceTypes/m8a.medium")}
    release(actor=OPERATOR, kind="InstanceType", name=kind.name)
    kind.refresh_from_db()
    assert (kind.managed_by, kind.revision) == ("", 3)


@pytest.mark.parametrize("account", ["none", "disabled"])
def test_what_nobody_would_take_in_is_not_adopted(instance: Instance, account: str) -> None:
    binding = NamespaceBinding.objects.get()
    if account == "none":
        binding.service_account = None
        binding.save()
    else:
        assert binding.service_account is not None
        binding.service_account.disabled = True
        binding.service_account.save()
    with pytest.raises(
        FailedPrecondition, match=r"manage\.py kubernetes bind projects/p"
    ) as refused:
        adopt(actor=OPERATOR, kind="Instance", name=instance.name)
    assert refused.value.reason == "NAMESPACE_NOT_BOUND"
    unchanged(instance)


def test_without_an_api_nothing_is_adopted_but_all_can_be_released(
    instance: Instance, settings: Any
) -> None:
    settings.CYCLOUD_KUBERNETES_ENABLED = False
    with pytest.raises(FailedPrecondition) as refused:
        adopt(actor=OPERATOR, kind="Instance", name=instance.name)
    assert refused.value.reason == "KUBERNETES_NOT_CONFIGURED"
    unchanged(instance)
    Instance.objects.update(managed_by="namespaces/team-p/instances/web-1")
    release(actor=OPERATOR, kind="Instance", name=instance.name)
    instance.refresh_from_db()
    assert instance.managed_by == ""


def test_what_is_being_deleted_is_not_adopted_but_can_be_released(instance: Instance) -> None:
    Instance.objects.update(delete_time=now())
    with pytest.raises(FailedPrecondition) as refused:
        adopt(actor=OPERATOR, kind="Instance", name=instance.name)
    assert refused.value.reason == "DELETING"
    unchanged(instance)
    Instance.objects.update(managed_by="namespaces/team-p/instances/web-1")
    release(actor=OPERATOR, kind="Instance", name=instance.name)
    instance.refresh_from_db()
    assert instance.managed_by == ""


@pytest.mark.parametrize("verb", [adopt, release])
@pytest.mark.parametrize(
    ("kind", "words"), [("Subnet", "only shown"), ("Server", "no such kind"), ("", "no such kind")]
)
def test_a_kind_that_is_not_taken_in_is_refused_with_those_that_are(
    verb: Any, kind: str, words: str
) -> None:
    subnet = SubnetFactory.create()
    with pytest.raises(InvalidArgument, match=f"{words}.*Instance, InstanceType"):
        verb(actor=OPERATOR, kind=kind, name=subnet.name)
    assert Subnet.objects.get().managed_by == ""


@pytest.mark.parametrize("verb", [adopt, release])
@pytest.mark.parametrize(
    "name",
    [
        "projects/p/instances/web-2",
        "projects/q/instances/web-1",
        "projects/p/volumes/web-1",
        "instances/web-1",
        "web-1",
        "",
        "projects/p/instances/web-1/x",
    ],
)
def test_what_is_not_there_is_not_handed_over(instance: Instance, verb: Any, name: str) -> None:
    with pytest.raises(NotFound):
        verb(actor=OPERATOR, kind="Instance", name=name)
    unchanged(instance)


@pytest.mark.parametrize("verb", [adopt, release])
def test_only_operators_hand_over_and_a_refusal_is_audited(instance: Instance, verb: Any) -> None:
    admin = Actor("users/alice", roles={"p": Role.ADMIN})
    with pytest.raises(PermissionDenied):
        verb(actor=admin, kind="Instance", name=instance.name)
    entry = AuditEntry.objects.get()
    assert (entry.outcome, entry.resource_name) == ("PERMISSION_DENIED", instance.name)
    unchanged(instance)


def test_the_pages_offer_what_can_be_adopted(settings: Any) -> None:
    assert [can_adopt(kind) for kind in ("Instance", "Subnet", "Server")] == [True, False, False]
    settings.CYCLOUD_KUBERNETES_ENABLED = False
    assert not can_adopt("Instance")


def unchanged(instance: Instance) -> None:
    found = Instance.objects.get(pk=instance.pk)
    assert (found.managed_by, found.revision) == ("", instance.revision)
    assert not due()
    assert not AuditEntry.objects.filter(outcome="OK").exists()
