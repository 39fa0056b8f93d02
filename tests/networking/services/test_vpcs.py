import pytest

from cycloud.core.aip.errors import (
    Aborted,
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from cycloud.core.aip.models import Operation
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import AuditEntry, Project
from networking.models import VPC
from networking.services.vpcs import VpcInput, create_vpc, delete_vpc, update_vpc
from tests.factories.iam import ProjectFactory, member
from tests.factories.networking import SubnetFactory, VpcFactory


def test_a_new_vpc_is_ready_and_its_operation_done(editor: Actor) -> None:
    written = create_vpc(actor=editor, project_id="p", data=VpcInput("Mine"), vpc_id="v")
    vpc = VPC.objects.get()
    assert (vpc.name, vpc.display_name) == ("projects/p/vpcs/v", "Mine")
    assert vpc.is_ready
    assert vpc.ready is not None and vpc.ready.reason == "Available"
    assert written.operation.done and written.operation.error is None
    assert AuditEntry.objects.get().method == "CreateVpc"


def test_an_id_is_made_where_none_is_given(editor: Actor) -> None:
    written = create_vpc(actor=editor, project_id="p", data=VpcInput())
    assert written.resource is not None
    assert written.resource.resource_id.startswith("vpc-")


def test_an_id_is_used_once_per_project(editor: Actor) -> None:
    VpcFactory.create(project__resource_id="q", resource_id="v")
    create_vpc(actor=editor, project_id="p", data=VpcInput(), vpc_id="v")
    with pytest.raises(AlreadyExists):
        create_vpc(actor=editor, project_id="p", data=VpcInput(), vpc_id="v")


def test_an_update_makes_a_new_etag_and_no_new_generation(editor: Actor, project: Project) -> None:
    vpc = VpcFactory.create(project=project, resource_id="v")
    update_vpc(actor=editor, project_id="p", vpc_id="v", changes={"labels": {"a": "b"}})
    changed = VPC.objects.get()
    assert changed.labels == {"a": "b"}
    assert changed.etag != vpc.etag
    assert changed.generation == vpc.generation


@pytest.mark.parametrize(
    "changes", [{"resource_id": "x"}, {"labels": {"a": "b c"}}, {"display_name": 5}]
)
def test_a_wrong_update_changes_nothing(
    editor: Actor, project: Project, changes: dict[str, object]
) -> None:
    vpc = VpcFactory.create(project=project, resource_id="v")
    with pytest.raises(InvalidArgument):
        update_vpc(actor=editor, project_id="p", vpc_id="v", changes=changes)
    assert VPC.objects.get().etag == vpc.etag


def test_an_old_etag_is_refused(editor: Actor, project: Project) -> None:
    vpc = VpcFactory.create(project=project, resource_id="v")
    old = WriteOptions(etag=vpc.etag)
    update_vpc(actor=editor, project_id="p", vpc_id="v", changes={}, options=old)
    with pytest.raises(Aborted):
        update_vpc(actor=editor, project_id="p", vpc_id="v", changes={}, options=old)
    with pytest.raises(Aborted):
        delete_vpc(actor=editor, project_id="p", vpc_id="v", options=old)


def test_a_deleted_vpc_is_gone_and_its_operation_says_so(editor: Actor, project: Project) -> None:
    VpcFactory.create(project=project, resource_id="v")
    written = delete_vpc(actor=editor, project_id="p", vpc_id="v")
    assert not VPC.objects.exists()
    assert Operation.objects.get() == written.operation
    assert written.operation.done


def test_a_vpc_with_subnets_stays(editor: Actor, project: Project) -> None:
    vpc = VpcFactory.create(project=project, resource_id="v")
    SubnetFactory.create(vpc=vpc, resource_id="s-1")
    with pytest.raises(FailedPrecondition, match="s-1") as caught:
        delete_vpc(actor=editor, project_id="p", vpc_id="v")
    assert caught.value.reason == "VPC_NOT_EMPTY"
    assert VPC.objects.exists()


def test_validate_only_keeps_nothing(editor: Actor) -> None:
    dry = WriteOptions(validate_only=True)
    written = create_vpc(actor=editor, project_id="p", data=VpcInput(), vpc_id="v", options=dry)
    assert written.resource is not None
    assert not VPC.objects.exists()
    assert not Operation.objects.exists()
    assert not AuditEntry.objects.exists()


def test_a_viewer_may_not_and_a_stranger_does_not_see(project: Project) -> None:
    viewer, stranger = member(project, Role.VIEWER), member(ProjectFactory.create())
    VpcFactory.create(project=project, resource_id="v")
    for actor, error in ((viewer, PermissionDenied), (stranger, NotFound)):
        with pytest.raises(error):
            create_vpc(actor=actor, project_id="p", data=VpcInput(), vpc_id="w")
        with pytest.raises(error):
            update_vpc(actor=actor, project_id="p", vpc_id="v", changes={})
        with pytest.raises(error):
            delete_vpc(actor=actor, project_id="p", vpc_id="v")
    assert VPC.objects.count() == 1
