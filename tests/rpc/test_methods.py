"""The standard and custom methods as a gRPC client sees them, where a message differs from JSON."""

from time import monotonic
from typing import Any
from uuid import uuid4

import grpc
import pytest

from catalog.models import VolumeType
from compute.models import Instance, Volume
from cycloud.core.aip.models import Operation
from cycloud.core.aip.rpc import servicer
from tests.factories.compute import World
from tests.factories.iam import MembershipFactory
from tests.factories.rest import token_for
from tests.support.rpc import RpcClient, rpc_server

VOLUMES = "compute.v1.VolumeService"
INSTANCES = "compute.v1.InstanceService"
OPERATIONS = "google.longrunning.Operations"


def volume_request(world: World, **changes: Any) -> dict[str, Any]:
    return {
        "parent": world.project.name,
        "volume_id": "data",
        "volume": {
            "volume_type": world.shared.resource_id,
            "availability_zone": world.zone.resource_id,
            "size": "20Gi",
            "labels": {"env": "test"},
        },
        **changes,
    }


def test_a_create_answers_an_operation_with_its_metadata(world: World, api: RpcClient) -> None:
    answer = api(f"{VOLUMES}/CreateVolume", volume_request(world))
    assert answer.ok, answer
    metadata = answer.json["metadata"]
    assert metadata["@type"] == "type.googleapis.com/cycloud.common.v1.OperationMetadata"
    assert (metadata["verb"], metadata["target"]) == (
        "create",
        f"{world.project.name}/volumes/data",
    )
    shown = api(f"{OPERATIONS}/GetOperation", {"name": answer.json["name"]})
    assert shown.json["done"] is False
    listed = api(
        f"{OPERATIONS}/ListOperations", {"name": world.project.name, "filter": "done = false"}
    )
    assert [operation["name"] for operation in listed.json["operations"]] == [answer.json["name"]]


def test_an_operation_that_is_done_has_the_resource_as_its_response(
    world: World, api: RpcClient
) -> None:
    request = {"parent": world.project.name, "vpc_id": "v", "vpc": {"display_name": "net"}}
    answer = api("networking.v1.VPCService/CreateVPC", request)
    assert answer.json["done"] is True
    response = answer.json["response"]
    assert response["@type"] == "type.googleapis.com/cycloud.networking.v1.VPC"
    assert response["display_name"] == "net"
    deleted = api("networking.v1.VPCService/DeleteVPC", {"name": response["name"]})
    assert deleted.json["response"]["@type"] == "type.googleapis.com/google.protobuf.Empty"


def test_a_wait_returns_at_its_timeout(world: World, api: RpcClient) -> None:
    operation = api(f"{VOLUMES}/CreateVolume", volume_request(world)).json
    request = {"name": operation["name"], "timeout": "0.1s"}
    answer = api(f"{OPERATIONS}/WaitOperation", request)
    assert answer.ok, answer
    assert answer.json["done"] is False


def test_the_same_request_id_gives_the_same_operation(world: World, api: RpcClient) -> None:
    request = volume_request(world, request_id=str(uuid4()))
    first, second = (api(f"{VOLUMES}/CreateVolume", request) for _ in range(2))
    assert first.json["name"] == second.json["name"]
    other = api(f"{VOLUMES}/CreateVolume", {**request, "volume_id": "other"})
    assert other.code is grpc.StatusCode.INVALID_ARGUMENT
    assert Volume.objects.count() == 1


def test_validate_only_makes_nothing(world: World, api: RpcClient) -> None:
    answer = api(f"{VOLUMES}/CreateVolume", volume_request(world, validate_only=True))
    assert answer.ok, answer
    assert answer.json["name"] == ""
    assert answer.json["response"]["size"] == "20Gi"
    assert not Volume.objects.exists()
    assert not Operation.objects.exists()


def test_a_mask_tells_an_empty_value_from_none(world: World, api: RpcClient) -> None:
    instance = world.instance(deletion_protection=True, display_name="web")
    request = {"instance": {"name": instance.name, "deletion_protection": False}}
    # without a mask a false is not there
    assert api(f"{INSTANCES}/UpdateInstance", request).ok
    instance.refresh_from_db()
    assert instance.deletion_protection is True
    masked = {**request, "update_mask": "deletionProtection,displayName"}
    assert api(f"{INSTANCES}/UpdateInstance", masked).ok
    instance.refresh_from_db()
    assert (instance.deletion_protection, instance.display_name) == (False, "")


def test_the_etag_of_the_resource_is_checked(world: World, api: RpcClient) -> None:
    volume = world.volume()
    request = {"volume": {"name": volume.name, "etag": '"old"', "labels": {"a": "b"}}}
    refusal = api(f"{VOLUMES}/UpdateVolume", request)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ABORTED, "ETAG_MISMATCH")
    refusal = api(f"{VOLUMES}/DeleteVolume", {"name": volume.name, "etag": '"old"'})
    assert refusal.reason == "ETAG_MISMATCH"
    current = api(f"{VOLUMES}/GetVolume", {"name": volume.name}).json["etag"]
    request["volume"]["etag"] = current
    assert api(f"{VOLUMES}/UpdateVolume", request).ok


def test_what_was_read_can_be_sent_back(world: World, api: RpcClient) -> None:
    instance = world.instance()
    read = api(f"{INSTANCES}/GetInstance", {"name": instance.name}).json
    read["labels"] = {"env": "prod"}
    answer = api(f"{INSTANCES}/UpdateInstance", {"instance": read, "update_mask": "labels"})
    assert answer.ok, answer
    instance.refresh_from_db()
    assert instance.labels == {"env": "prod"}


def test_custom_methods_take_their_options_and_fields(world: World, api: RpcClient) -> None:
    instance = world.instance(desired_state="RUNNING")
    stopped = api(f"{INSTANCES}/StopInstance", {"name": instance.name, "validate_only": True})
    assert stopped.ok, stopped
    instance.refresh_from_db()
    assert instance.desired_state == "RUNNING"
    assert api(f"{INSTANCES}/StopInstance", {"name": instance.name}).ok
    instance.refresh_from_db()
    assert instance.desired_state == "STOPPED"
    volume = world.volume()
    request = {"name": instance.name, "volume": volume.resource_id}
    assert api(f"{INSTANCES}/AttachVolume", request).ok
    assert Instance.objects.get().volume_attachments.count() == 2
    refusal = api(f"{INSTANCES}/AttachVolume", {"name": instance.name})
    assert refusal.detail("BadRequest")["field_violations"][0]["field"] == "volume"


def test_lists_have_pages_filters_orders_and_masks(world: World, api: RpcClient) -> None:
    volumes = [world.volume(resource_id=f"v{n}", labels={"n": str(n % 2)}) for n in range(5)]
    request = {
        "parent": world.project.name,
        "page_size": 2,
        "order_by": "name desc",
        "filter": "labels.n = 0",
        "read_mask": "name,size",
    }
    first = api(f"{VOLUMES}/ListVolumes", request).json
    assert [volume["name"] for volume in first["volumes"]] == [volumes[4].name, volumes[2].name]
    assert first["volumes"][0]["size"]
    assert first["volumes"][0]["uid"] == ""
    rest = api(f"{VOLUMES}/ListVolumes", {**request, "page_token": first["next_page_token"]}).json
    assert [volume["name"] for volume in rest["volumes"]] == [volumes[0].name]
    assert rest["next_page_token"] == ""
    for wrong in (
        {"page_size": -1},
        {"filter": "labels. ="},
        {"order_by": "secret"},
        {"page_token": "x"},
    ):
        refusal = api(f"{VOLUMES}/ListVolumes", {**request, **wrong})
        assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT, wrong
        assert refusal.detail("BadRequest")["field_violations"][0]["field"] == next(iter(wrong))


def test_an_enum_number_that_there_is_not_is_refused(world: World, api: RpcClient) -> None:
    instance = world.instance()
    request = {"instance": {"name": instance.name, "desired_state": 99}}
    refusal = api(f"{INSTANCES}/UpdateInstance", request)
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.detail("BadRequest")["field_violations"][0]["field"] == "desired_state"


def test_the_catalog_is_read_by_all_and_written_by_operators(
    world: World, api: RpcClient, operator: RpcClient
) -> None:
    service = "catalog.v1.VolumeTypeService"
    create = {
        "volume_type_id": "fast",
        "volume_type": {"retention_seconds": 0, "minimum_size": "1Gi"},
    }
    assert api(f"{service}/CreateVolumeType", create).code is grpc.StatusCode.PERMISSION_DENIED
    made = operator(f"{service}/CreateVolumeType", create)
    assert made.ok, made
    # a zero that is set is not the default
    assert VolumeType.objects.get(resource_id="fast").retention_seconds == 0
    shown = api(
        f"{service}/GetVolumeType", {"name": f"volumeTypes/{world.shared.resource_id}"}
    ).json
    assert shown["placements"] == []
    assert operator(f"{service}/GetVolumeType", {"name": shown["name"]}).json["placements"]
    assert operator(f"{service}/DeleteVolumeType", {"name": "volumeTypes/fast"}).json == {}


def test_a_secret_is_shown_once(world: World, api: RpcClient, port: int) -> None:
    made = api("iam.v1.TokenService/CreateToken", {"token": {"display_name": "ci"}})
    assert made.ok, made
    assert RpcClient(port, made.json["secret"])("iam.v1.ProjectService/ListProjects").ok
    assert "secret" not in api("iam.v1.TokenService/GetToken", {"name": made.json["name"]}).json


def test_permissions_can_be_tested(world: World, api: RpcClient) -> None:
    asked = ["compute.instances.create", "iam.members.create"]
    request = {"resource": world.project.name, "permissions": asked}
    answer = api("iam.v1.ProjectService/TestIamPermissions", request)
    assert answer.json == {"permissions": ["compute.instances.create"]}
    unknown = {**request, "permissions": ["compute.instances.fly"]}
    refusal = api("iam.v1.ProjectService/TestIamPermissions", unknown)
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "name", ["", "instances/a", "projects/p/volumes/v", "projects/p/instances/a/b"]
)
def test_a_name_of_another_form_is_refused(api: RpcClient, name: str) -> None:
    refusal = api(f"{INSTANCES}/GetInstance", {"name": name})
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.detail("BadRequest")["field_violations"][0]["field"] == "name"


def test_a_wait_whose_caller_has_left_does_not_hold_up_a_stop(world: World) -> None:
    user = MembershipFactory.create(project=world.project).user
    with rpc_server() as server:
        api = RpcClient(server.port, token_for(user))
        operation = api(f"{VOLUMES}/CreateVolume", volume_request(world)).json
        request = {"name": operation["name"], "timeout": "60s"}
        left = api(f"{OPERATIONS}/WaitOperation", request, timeout=0.3)
        assert left.code is grpc.StatusCode.DEADLINE_EXCEEDED
        begin = monotonic()
    assert monotonic() - begin < 20


def test_a_page_that_would_be_too_large_for_clients_is_shorter(
    world: World, api: RpcClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servicer, "MOST_PAGE_BYTES", 1500)
    names = [
        world.volume(resource_id=f"v{n}", annotations={"note": "x" * 400}).name for n in range(7)
    ]
    request = {"parent": world.project.name, "page_size": 7, "order_by": "name"}
    pages: list[list[str]] = []
    while True:
        page = api(f"{VOLUMES}/ListVolumes", request).json
        pages.append([volume["name"] for volume in page["volumes"]])
        if not page["next_page_token"]:
            break
        request["page_token"] = page["next_page_token"]
    assert [name for part in pages for name in part] == names
    assert len(pages) > 2
