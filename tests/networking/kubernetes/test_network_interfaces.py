"""Network interfaces as objects, in both directions."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jsonschema
import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from cycloud.core.aip.errors import (
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
)
from cycloud.core.aip.models import Operation
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import AuditEntry, Project
from cycloud.kubernetes.crds.definition import render
from cycloud.kubernetes.kinds import Intake, Json, Manifest
from networking.kubernetes.definitions import DEFINITIONS
from networking.kubernetes.network_interfaces import NetworkInterfaceKind
from networking.models import NetworkInterface, Subnet
from networking.services.network_interfaces import NetworkInterfaceInput, create_network_interface
from tests.factories.compute import (
    InstanceFactory,
    NetworkAttachmentFactory,
    OpenStackNetworkInterfaceFactory,
)
from tests.factories.iam import ProjectFactory
from tests.factories.networking import NetworkInterfaceFactory, SubnetFactory, VpcFactory

pytestmark = pytest.mark.django_db
KIND = NetworkInterfaceKind()
NAME = "projects/p/networkInterfaces/eth0"
EDITOR = Actor("serviceAccounts/p/gitops", roles={"p": Role.EDITOR})
INTAKE = Intake(EDITOR, "namespaces/cycloud-p/networkinterfaces/eth0")


def take(spec: Json, name: str = NAME, intake: Intake = INTAKE, **metadata: Any) -> None:
    with transaction.atomic():
        KIND.take(intake, name, {"metadata": metadata, "spec": spec})


def remove(intake: Intake = INTAKE) -> None:
    with transaction.atomic():
        KIND.remove(intake, NAME)


def shown(name: str = NAME) -> Manifest | None:
    return KIND.manifests([name]).get(name)


def row() -> NetworkInterface:
    return NetworkInterface.objects.get(resource_id="eth0")


def trace() -> tuple[Any, ...]:
    """What every write leaves."""
    rows = NetworkInterface.objects.order_by("pk").values_list("pk", "revision", "ip_address")
    return AuditEntry.objects.count(), Operation.objects.count(), list(rows)


@contextmanager
def undone() -> Iterator[None]:
    """One example of many in one test: the next one finds the database as this one did."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


texts = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=20)
keys = st.from_regex(r"(example\.com/)?[a-z]{1,8}", fullmatch=True)
values = st.from_regex(r"[a-zA-Z0-9]{0,10}", fullmatch=True)
objects = st.fixed_dictionaries(
    {
        "spec": st.fixed_dictionaries(
            {"subnet": st.just("s")},
            optional={"displayName": texts, "ipAddress": st.just("10.0.1.23")},
        ),
        "labels": st.dictionaries(keys, values, max_size=3),
        "annotations": st.dictionaries(keys, texts, max_size=3),
    }
)


@given(examples=st.lists(objects, min_size=1, max_size=3))
@settings(max_examples=40, deadline=None)
def test_what_an_object_declares_is_what_the_row_says(examples: list[Json]) -> None:
    with undone():
        SubnetFactory.create(
            project=(project := ProjectFactory.create(resource_id="p")),
            vpc=VpcFactory.create(project=project),
            resource_id="s",
            cidr="10.0.1.0/24",
        )
        # an address that was given out stays
        address = examples[0]["spec"].get("ipAddress")
        for example in examples:
            spec = {**example["spec"], "ipAddress": address}
            metadata = {k: example[k] for k in ("labels", "annotations")}
            take(spec, **metadata)
            manifest = shown()
            assert manifest is not None
            assert KIND.agrees(manifest, spec)
            assert manifest.managed_by == INTAKE.manager
            assert (manifest.labels, manifest.annotations) == (
                example["labels"],
                example["annotations"],
            )
            before = trace()
            take(spec, **metadata)
            take(manifest.spec, **metadata)
            assert trace() == before
            assert shown() == manifest


def test_what_is_shown_is_what_the_definition_allows(subnet: Subnet) -> None:
    take({"subnet": "s", "displayName": "Front"})
    manifest = shown()
    assert manifest is not None
    [definition] = [item for item in DEFINITIONS if item.api == KIND.api]
    [version] = render(definition)["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]["properties"]
    jsonschema.validate(manifest.spec, schema["spec"])
    assert set(manifest.spec) == set(schema["spec"]["properties"])
    own = set(schema["status"]["properties"]) - {"conditions", "observedGeneration", "uid"}
    assert set(manifest.status) == own


def test_it_is_shown_with_its_address_and_the_instance_that_has_it(
    project: Project, subnet: Subnet
) -> None:
    take({"subnet": "s", "ipAddress": "10.0.1.23"}, labels={"app": "web"})
    manifest = shown()
    assert manifest is not None
    assert manifest.spec == {"displayName": "", "subnet": "s", "ipAddress": "10.0.1.23"}
    assert manifest.status == {
        "ipAddress": "10.0.1.23",
        "macAddress": row().mac_address,
        "attachedInstance": None,
    }
    assert manifest.settled and not manifest.deleting
    assert [(c.type, c.status.value) for c in manifest.conditions] == [("Ready", "True")]
    instance = InstanceFactory.create(project=project, resource_id="web")
    NetworkAttachmentFactory.create(network_interface=row(), instance=instance)
    attached = shown()
    assert attached is not None
    assert attached.status["attachedInstance"] == "web"


def test_without_an_address_it_gets_a_free_one_and_keeps_it(subnet: Subnet) -> None:
    NetworkInterfaceFactory.create(subnet=subnet)
    take({"subnet": "s"})
    address = row().ip_address
    manifest = shown()
    assert manifest is not None
    assert manifest.spec["ipAddress"] == address
    assert KIND.agrees(manifest, {"subnet": "s"})
    take({"subnet": "s", "ipAddress": address})
    take({"subnet": "s"})
    assert row().ip_address == address


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"ipAddress": "10.0.1.24"}, "spec.ipAddress", "IMMUTABLE"),
        ({"ipAddress": "10.0.1.300"}, "spec.ipAddress", "INVALID_ADDRESS"),
        ({"subnet": "other"}, "spec.subnet", "IMMUTABLE"),
        ({"subnet": None}, "spec.subnet", "REQUIRED"),
        ({"displayName": "a\nb"}, "spec.displayName", "INVALID"),
        ({"displayName": 3}, "spec.displayName", "WRONG_TYPE"),
    ],
)
def test_a_refused_change_changes_nothing(
    change: Json, field: str, reason: str, subnet: Subnet
) -> None:
    SubnetFactory.create(vpc=subnet.vpc, resource_id="other")
    spec = {"subnet": "s", "ipAddress": "10.0.1.23"}
    take(spec)
    manifest, before = shown(), trace()
    assert manifest is not None
    with pytest.raises(InvalidArgument) as caught:
        take({**spec, **change})
    assert [(v.field, v.reason) for v in caught.value.violations] == [(field, reason)]
    assert trace() == before
    assert not KIND.agrees(manifest, {**spec, **change})


@pytest.mark.parametrize(
    ("metadata", "field"),
    [
        ({"labels": {"a b": "c"}}, "metadata.labels"),
        ({"labels": {"a": "; rm -rf /"}}, "metadata.labels"),
        ({"annotations": {"big": "x" * 1024 * 1024}}, "metadata.annotations"),
    ],
)
def test_hostile_metadata_is_refused(metadata: Json, field: str, subnet: Subnet) -> None:
    with pytest.raises(InvalidArgument) as caught:
        take({"subnet": "s"}, **metadata)
    assert [v.field for v in caught.value.violations] == [field]
    assert shown() is None


def test_labels_are_replaced_and_those_of_tools_stay_with_the_object(subnet: Subnet) -> None:
    take({"subnet": "s"}, labels={"app": "web", "tier": "front"})
    applied = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "n"}
    take({"subnet": "s"}, labels={"app": "api"}, annotations=applied)
    assert row().labels == {"app": "api"}
    assert row().annotations == {"note": "n"}


def test_an_address_that_is_used_is_refused(subnet: Subnet) -> None:
    NetworkInterfaceFactory.create(subnet=subnet, ip_address="10.0.1.23")
    with pytest.raises(AlreadyExists) as caught:
        take({"subnet": "s", "ipAddress": "10.0.1.23"})
    assert [v.field for v in caught.value.violations] == ["spec.ipAddress"]
    assert shown() is None


@pytest.mark.parametrize("address", ["10.0.1.1", "10.0.1.255", "192.168.0.1"])
def test_an_address_that_cannot_be_given_out_is_refused(address: str, subnet: Subnet) -> None:
    with pytest.raises(InvalidArgument) as caught:
        take({"subnet": "s", "ipAddress": address})
    assert [v.field for v in caught.value.violations] == ["spec.ipAddress"]


def test_a_full_subnet_is_told_of_its_field(project: Project) -> None:
    small = SubnetFactory.create(
        vpc=VpcFactory.create(project=project), resource_id="small", cidr="10.0.2.0/29"
    )
    for _ in range(5):
        NetworkInterfaceFactory.create(subnet=small)
    with pytest.raises(ResourceExhausted) as caught:
        take({"subnet": "small"})
    assert [v.field for v in caught.value.violations] == ["spec.subnet"]


@pytest.mark.parametrize("subnet_name", ["none", "theirs", "projects/q/subnets/theirs", "../x"])
def test_a_subnet_of_another_project_is_as_one_that_is_not_there(
    subnet_name: str, subnet: Subnet
) -> None:
    other = ProjectFactory.create(resource_id="q")
    SubnetFactory.create(vpc=VpcFactory.create(project=other), resource_id="theirs")
    with pytest.raises(InvalidArgument) as caught:
        take({"subnet": subnet_name})
    assert [(v.field, v.reason) for v in caught.value.violations] == [
        ("spec.subnet", "REFERENCE_NOT_FOUND")
    ]
    assert caught.value.message == (
        f"spec.subnet: there is no subnet {subnet_name!r} in projects/p. "
        "Use the name of one that is there."
    )


def test_a_row_of_the_api_is_not_taken_over(subnet: Subnet) -> None:
    create_network_interface(
        actor=EDITOR,
        project_id="p",
        network_interface_id="eth0",
        data=NetworkInterfaceInput("s"),
    )
    before = trace()
    with pytest.raises(AlreadyExists, match=f"kubernetes adopt NetworkInterface {NAME}"):
        take({"subnet": "s", "displayName": "Mine"})
    remove()
    assert trace() == before


def test_a_row_of_another_object_is_not_taken_over(subnet: Subnet) -> None:
    take({"subnet": "s"})
    before = trace()
    other = Intake(EDITOR, "namespaces/another/networkinterfaces/eth0")
    with pytest.raises(FailedPrecondition, match="namespaces/cycloud-p/networkinterfaces/eth0"):
        take({"subnet": "s"}, intake=other)
    remove(other)
    assert trace() == before


def test_who_is_bound_to_the_namespace_needs_the_role(subnet: Subnet) -> None:
    viewer = Actor("serviceAccounts/p/viewer", roles={"p": Role.VIEWER})
    with pytest.raises(PermissionDenied):
        take({"subnet": "s"}, intake=Intake(viewer, INTAKE.manager))
    stranger = Actor("serviceAccounts/q/gitops", roles={"q": Role.ADMIN})
    for subnet_name in ("s", "none"):
        with pytest.raises(NotFound, match="no project 'p'"):
            take({"subnet": subnet_name}, intake=Intake(stranger, INTAKE.manager))
    assert shown() is None


def test_removing_is_deleting_once(subnet: Subnet) -> None:
    take({"subnet": "s"})
    remove()
    assert shown() is None
    before = trace()
    remove()
    assert trace() == before


def test_an_attached_interface_waits_for_its_instance(project: Project, subnet: Subnet) -> None:
    take({"subnet": "s"})
    instance = InstanceFactory.create(project=project, resource_id="web")
    NetworkAttachmentFactory.create(network_interface=row(), instance=instance)
    before = trace()
    with pytest.raises(FailedPrecondition, match="projects/p/instances/web"):
        remove()
    assert trace() == before


def test_an_interface_with_a_port_is_shown_until_that_is_gone(subnet: Subnet) -> None:
    take({"subnet": "s"})
    OpenStackNetworkInterfaceFactory.create(network_interface=row())
    remove()
    manifest = shown()
    assert manifest is not None
    assert manifest.deleting
    assert [(c.type, c.reason) for c in manifest.conditions] == [("Ready", "Deleting")]
    before = trace()
    remove()
    with pytest.raises(FailedPrecondition, match="is being deleted"):
        take({"subnet": "s"})
    assert trace() == before
    assert list(KIND.names()) == [NAME]
