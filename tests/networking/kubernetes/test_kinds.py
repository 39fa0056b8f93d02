"""What all kinds of networking have in common, and what is shown of VPCs and subnets."""

from typing import Any

import jsonschema
import pytest

from cycloud.core.iam.models import Project
from cycloud.kubernetes.crds.definition import render
from cycloud.kubernetes.kinds import Kind, TakenIn
from networking.kubernetes.definitions import DEFINITIONS
from networking.kubernetes.kinds import KINDS
from networking.models import Subnet
from tests.factories.compute import NetworkAttachmentFactory
from tests.factories.iam import ProjectFactory
from tests.factories.networking import NetworkInterfaceFactory, SubnetFactory, VpcFactory

pytestmark = pytest.mark.django_db
each = pytest.mark.parametrize("kind", KINDS, ids=[kind.api.kind for kind in KINDS])
VPCS, SUBNETS, INTERFACES = KINDS


def test_every_kind_that_is_defined_is_shown_and_interfaces_are_taken_in() -> None:
    assert [kind.api for kind in KINDS] == [definition.api for definition in DEFINITIONS]
    assert [kind for kind in KINDS if isinstance(kind, TakenIn)] == [INTERFACES]


def test_a_vpc_is_shown(project: Project) -> None:
    vpc = VpcFactory.create(
        project=project,
        resource_id="v",
        display_name="Main",
        labels={"team": "a", "cycloud.jp/managed-by": "me"},
        annotations={"note": "n"},
    )
    [(name, manifest)] = VPCS.manifests(["projects/p/vpcs/v"]).items()
    assert name == vpc.name
    assert (manifest.uid, manifest.spec, manifest.status) == (vpc.uid, {"displayName": "Main"}, {})
    assert (manifest.labels, manifest.annotations) == ({"team": "a"}, {"note": "n"})
    assert not manifest.settled
    assert not manifest.deleting


def test_a_subnet_is_shown(subnet: Subnet) -> None:
    [manifest] = SUBNETS.manifests([subnet.name]).values()
    assert manifest.spec == {
        "displayName": "",
        "vpc": "v",
        "availabilityZone": subnet.availability_zone.resource_id,
        "cidr": "10.0.1.0/24",
        "gatewayIP": "10.0.1.1",
    }


@pytest.mark.parametrize("kind", [VPCS, SUBNETS], ids=["VPC", "Subnet"])
def test_what_is_shown_is_what_the_definition_allows(kind: Kind, subnet: Subnet) -> None:
    [manifest] = kind.manifests(list(kind.names())).values()
    [definition] = [item for item in DEFINITIONS if item.api == kind.api]
    [version] = render(definition)["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    jsonschema.validate(manifest.spec, schema)
    assert set(manifest.spec) == set(schema["properties"])


@each
def test_all_objects_of_a_page_are_read_with_one_query(
    kind: Kind, django_assert_num_queries: Any
) -> None:
    for _ in range(3):
        NetworkAttachmentFactory.create()
        NetworkInterfaceFactory.create()
    names = list(kind.names())
    assert len(names) == 6
    with django_assert_num_queries(1):
        manifests = kind.manifests(names)
    assert sorted(manifests) == sorted(names)
    with django_assert_num_queries(1):
        by_uid = kind.names_of([manifest.uid for manifest in manifests.values()])
    assert by_uid == {manifest.uid: name for name, manifest in manifests.items()}


@each
def test_of_names_in_several_projects_only_these_are_returned(kind: Kind) -> None:
    for project in (ProjectFactory.create(resource_id="p"), ProjectFactory.create(resource_id="q")):
        for name in ("a", "b"):
            subnet = SubnetFactory.create(
                vpc=VpcFactory.create(project=project, resource_id=name), resource_id=name
            )
            NetworkInterfaceFactory.create(subnet=subnet, resource_id=name)
    wanted = [f"projects/p/{kind.collection}/a", f"projects/q/{kind.collection}/b"]
    assert sorted(kind.manifests([*wanted, "namespaces/none/subnets/a", "a"])) == wanted
