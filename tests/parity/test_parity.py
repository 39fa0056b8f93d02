"""One request, both faces, one answer: each row is sent over gRPC, and over REST as its annotation says."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import unified_diff
from typing import Any

import pytest
from django.db import transaction
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from compute.models import Instance, Volume
from cycloud.core.aip.models import Operation, RequestRecord
from cycloud.core.iam.models import AuditEntry
from networking.models import NetworkInterface
from tests.factories.rest import RestClient
from tests.parity.transcode import method_of, transcode
from tests.schema.world import Seeded, fill_world
from tests.support.rpc import RpcClient, rpc_server

INSTANCES, VOLUMES = "compute.v1.InstanceService", "compute.v1.VolumeService"
INTERFACES, SUBNETS = "networking.v1.NetworkInterfaceService", "networking.v1.SubnetService"
VPCS, TYPES = "networking.v1.VPCService", "catalog.v1.InstanceTypeService"
QUOTAS, OPERATIONS = "compute.v1.QuotaService", "google.longrunning.Operations"
WEB, BATCH = "projects/demo/instances/web-1", "projects/demo/instances/batch-1"
SPARE, GONE = "projects/demo/volumes/spare", "projects/demo/volumes/gone-1"
REQUEST_ID = "4e0f2b2e-7a0c-4d5e-9d57-6f3f4d0f8d11"
LONG = "x" * 300


def named(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, **fields}


def created(kind: str, resource_id: str, resource: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"parent": "projects/demo", f"{kind}_id": resource_id, kind: resource, **fields}


def updated(kind: str, name: str, resource: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {kind: {"name": name, **resource}, **fields}


def listed(**fields: Any) -> dict[str, Any]:
    return {"parent": "projects/demo", **fields}


def new_volume(**changes: Any) -> dict[str, Any]:
    return {"volume_type": "$volume_type", "availability_zone": "$zone", "size": "20Gi", **changes}


def new_instance(**changes: Any) -> dict[str, Any]:
    return {
        "instance_type": "$instance_type",
        "availability_zone": "$zone",
        "volumes": [{"volume_type": "$volume_type", "size": "20Gi", "image": "$image"}],
        "network_interfaces": [{"subnet": "$subnet"}],
        **changes,
    }


Case = tuple[str, dict[str, Any]]
CASES: dict[str, list[Case]] = {
    "reads": [
        (f"{INSTANCES}/GetInstance", named(WEB)),
        (f"{INSTANCES}/GetInstance", named(WEB, read_mask="name,state,labels.app")),
        (f"{INSTANCES}/GetInstance", named(WEB, read_mask="cluster")),
        (f"{INSTANCES}/GetInstance", named("projects/demo/instances/none")),
        (f"{INSTANCES}/GetInstance", named("projects/other/instances/web-1")),
        (f"{VOLUMES}/GetVolume", named(GONE)),
        (f"{QUOTAS}/GetQuota", named("projects/demo/quotas/vcpus")),
        (f"{QUOTAS}/ListQuotas", listed()),
        (f"{TYPES}/ListInstanceTypes", {}),
        (f"{TYPES}/GetInstanceType", named("instanceTypes/none")),
        (f"{INSTANCES}/ListInstances", listed()),
        (f"{INSTANCES}/ListInstances", listed(filter='labels.app = "web"', order_by="name desc")),
        (f"{INSTANCES}/ListInstances", listed(filter='state = "RUNNING" AND NOT name = "x"')),
        (f"{INSTANCES}/ListInstances", listed(filter="cluster = 1")),
        (f"{INSTANCES}/ListInstances", listed(filter="(((")),
        (f"{INSTANCES}/ListInstances", listed(order_by="secret")),
        (f"{INSTANCES}/ListInstances", listed(page_size=-1)),
        (f"{INSTANCES}/ListInstances", listed(page_size=100000)),
        (f"{INSTANCES}/ListInstances", listed(page_token="abc")),
        (f"{INSTANCES}/ListInstances", {"parent": "projects/-"}),
        (f"{INSTANCES}/ListInstances", {"parent": "projects/nowhere"}),
        (f"{VOLUMES}/ListVolumes", listed(show_deleted=True, page_size=2)),
        (f"{VOLUMES}/ListVolumes", listed(filter='state = "DELETED"', show_deleted=True)),
        (f"{INTERFACES}/ListNetworkInterfaces", listed()),
        (f"{SUBNETS}/ListSubnets", listed()),
        (f"{VPCS}/ListVPCs", listed()),
    ],
    "creates": [
        (f"{INSTANCES}/CreateInstance", created("instance", "new-1", new_instance())),
        (
            f"{INSTANCES}/CreateInstance",
            created("instance", "new-1", new_instance(), validate_only=True),
        ),
        (f"{INSTANCES}/CreateInstance", created("instance", "web-1", new_instance())),
        (f"{INSTANCES}/CreateInstance", created("instance", "Web 1", new_instance())),
        (f"{INSTANCES}/CreateInstance", created("instance", "new-1", {})),
        (
            f"{INSTANCES}/CreateInstance",
            created("instance", "new-1", new_instance(instance_type="none")),
        ),
        (
            f"{INSTANCES}/CreateInstance",
            created("instance", "new-1", new_instance(labels={"A b": "c"})),
        ),
        (
            f"{INSTANCES}/CreateInstance",
            created("instance", "new-1", new_instance(display_name=LONG)),
        ),
        (
            f"{INSTANCES}/CreateInstance",
            created("instance", "new-1", new_instance(volumes=[{"id": "none"}])),
        ),
        (
            f"{INSTANCES}/CreateInstance",
            created("instance", "new-1", new_instance(), request_id="no-uuid"),
        ),
        (
            f"{VOLUMES}/CreateVolume",
            created("volume", "new-1", new_volume(), request_id=REQUEST_ID),
        ),
        (f"{VOLUMES}/CreateVolume", created("volume", "new-1", new_volume(size="20"))),
        (f"{VOLUMES}/CreateVolume", created("volume", "new-1", new_volume(size="5Gi"))),
        (f"{VOLUMES}/CreateVolume", created("volume", "new-1", new_volume(size="1000000Gi"))),
        (
            f"{INTERFACES}/CreateNetworkInterface",
            created("network_interface", "eth9", {"subnet": "none"}),
        ),
        (f"{VPCS}/CreateVPC", created("vpc", "net-9", {"labels": {"env": "test"}})),
    ],
    "updates": [
        (
            f"{INSTANCES}/UpdateInstance",
            updated("instance", WEB, {"labels": {"app": "x"}}, update_mask="labels"),
        ),
        (
            f"{INSTANCES}/UpdateInstance",
            updated("instance", WEB, {"labels": {"a": "b"}}, update_mask="labels.a"),
        ),
        (f"{INSTANCES}/UpdateInstance", updated("instance", WEB, {"display_name": "Web"})),
        (f"{INSTANCES}/UpdateInstance", updated("instance", WEB, {}, update_mask="cluster")),
        (
            f"{INSTANCES}/UpdateInstance",
            updated("instance", WEB, {"etag": '"old"', "display_name": "W"}),
        ),
        (f"{INSTANCES}/UpdateInstance", updated("instance", WEB, {"availability_zone": "x"})),
        (f"{INSTANCES}/UpdateInstance", updated("instance", WEB, {"instance_type": "$moved_type"})),
        (f"{VOLUMES}/UpdateVolume", updated("volume", SPARE, {"size": "10Gi"}, update_mask="size")),
        (
            f"{VOLUMES}/UpdateVolume",
            updated("volume", "projects/demo/volumes/new-9", new_volume(), allow_missing=True),
        ),
        (f"{VOLUMES}/UpdateVolume", updated("volume", "projects/demo/volumes/new-9", new_volume())),
    ],
    "deletes": [
        (f"{VOLUMES}/DeleteVolume", named(SPARE)),
        (f"{VOLUMES}/DeleteVolume", named(SPARE, etag='"old"')),
        (f"{VOLUMES}/DeleteVolume", named("projects/demo/volumes/none")),
        (f"{VOLUMES}/DeleteVolume", named("projects/demo/volumes/none", allow_missing=True)),
        (f"{VOLUMES}/DeleteVolume", named("projects/demo/volumes/$attached")),
        (f"{INSTANCES}/DeleteInstance", named(BATCH)),
        (f"{INSTANCES}/DeleteInstance", named(WEB, validate_only=True)),
    ],
    "verbs": [
        (f"{INSTANCES}/StopInstance", named(WEB)),
        (f"{INSTANCES}/StopInstance", named(WEB, validate_only=True)),
        (f"{INSTANCES}/StopInstance", named(WEB, etag='"old"')),
        (f"{INSTANCES}/StartInstance", named(BATCH, request_id=REQUEST_ID)),
        (f"{INSTANCES}/RestartInstance", named(BATCH)),
        (f"{INSTANCES}/AttachVolume", named(BATCH, volume="spare")),
        (f"{INSTANCES}/AttachVolume", named(BATCH)),
        (f"{INSTANCES}/AttachVolume", named(WEB, volume="spare")),
        (f"{INSTANCES}/DetachVolume", named(BATCH, volume="$attached")),
        (f"{VOLUMES}/UndeleteVolume", named(GONE)),
        (f"{VOLUMES}/UndeleteVolume", named(SPARE)),
        (f"{VOLUMES}/GrowVolume", named(SPARE, size="20Gi")),
        (f"{VOLUMES}/GrowVolume", named(SPARE, size="1Gi")),
        (f"{VOLUMES}/GrowVolume", named("projects/demo/volumes/none", size="20Gi")),
        (
            "iam.v1.ProjectService/TestIamPermissions",
            {"resource": "projects/demo", "permissions": ["compute.instances.get"]},
        ),
    ],
}
# what differs from one try to the next
_VOLATILE = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "TIME"),
    (re.compile(r'\\"[0-9a-f]{8}-(\d+)\\"'), r"ETAG-\1"),
    (re.compile(r"\b(vol|ni|i|nic|eth)-[0-9a-f]{12}\b"), r"\1-ID"),
    (re.compile(r"\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b"), "MAC"),
    (re.compile(r'"resource_version": "\d+"'), '"resource_version": "N"'),
    (re.compile(r'"next_page_token": "[^"]+"'), '"next_page_token": "TOKEN"'),
]


@pytest.fixture
def seeded(db: None) -> Seeded:
    return fill_world()


@pytest.fixture
def rpc(seeded: Seeded) -> Iterator[RpcClient]:
    with rpc_server() as server:
        client = RpcClient(server.port, seeded.editor)
        yield client
        client.close()


def filled(value: Any, seeded: Seeded) -> Any:
    """Put the ids of the world in the place of the words that begin with a dollar."""
    words = {
        "$volume_type": seeded.ids["volume_type"][0],
        "$zone": seeded.ids["availability_zone"][0],
        "$instance_type": seeded.ids["instance_type"][0],
        "$moved_type": seeded.ids["instance_type"][1],
        "$image": seeded.ids["public_image"][0],
        "$subnet": seeded.ids["subnet"][0],
        "$attached": seeded.attached,
    }
    text = json.dumps(value)
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return json.loads(text)


def message_of(name: str, request: dict[str, Any]) -> Message:
    values = {k: v for k, v in request.items() if k not in ("read_mask", "update_mask")}
    message = ParseDict(values, GetMessageClass(method_of(name).input_type)())
    for field in ("read_mask", "update_mask"):
        if field in request:
            getattr(message, field).paths.extend(request[field].split(","))
    return message


@contextmanager
def trial() -> Iterator[None]:
    """Take back what the block does to the database."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def told(answer: tuple[str, Any], left: Any) -> str:
    """Return answer and rows as text, without what differs from one try to the next."""
    text = json.dumps([*answer, left], sort_keys=True, indent=1)
    for pattern, word in _VOLATILE:
        text = pattern.sub(word, text)
    return text


def rows() -> dict[str, Any]:
    """What the call left in the database."""
    return {
        "instances": sorted(
            Instance.objects.values_list("resource_id", "generation", "revision", "desired_state")
        ),
        "volumes": sorted(
            Volume.objects.values_list("resource_id", "generation", "revision", "size_gib")
        ),
        "interfaces": NetworkInterface.objects.count(),
        "operations": sorted(Operation.objects.values_list("verb", "target_name", "done")),
        "requests": RequestRecord.objects.count(),
        "audit": sorted(AuditEntry.objects.values_list("method", "principal", "outcome")),
    }


def over_rest(name: str, request: dict[str, Any], secret: str) -> tuple[str, Any]:
    http = transcode(method_of(name), request)
    answer = RestClient(secret)(http.verb, http.path, http.body)
    if answer.status >= 400:
        error = answer.json["error"]
        return error["status"], {"message": error["message"], "details": error["details"]}
    # strictly: an unknown field would be refused
    message = ParseDict(answer.json, GetMessageClass(method_of(name).output_type)())
    return "OK", shown(message)


def over_grpc(name: str, request: dict[str, Any], rpc: RpcClient) -> tuple[str, Any]:
    answer = rpc(name, raw=message_of(name, request).SerializeToString())
    if not answer.ok:
        return answer.code.name, {"message": answer.message, "details": answer.status["details"]}
    return "OK", answer.json


def shown(message: Message) -> Any:
    return json.loads(
        json.dumps(
            MessageToDict(
                message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
            )
        )
    )


@pytest.mark.parametrize("group", CASES)
def test_both_faces_answer_and_leave_the_same(seeded: Seeded, rpc: RpcClient, group: str) -> None:
    differing, codes = {}, Counter[str]()
    for name, wanted in CASES[group]:
        request = filled(wanted, seeded)
        with trial():
            rest = over_rest(name, request, seeded.editor)
            rest_told = told(rest, rows())
        with trial():
            rpc_told = told(over_grpc(name, request, rpc), rows())
        codes[rest[0]] += 1
        if rest_told != rpc_told:
            lines = unified_diff(rest_told.splitlines(), rpc_told.splitlines(), "REST", "gRPC", n=1)
            differing[f"{name} {request}"] = "\n".join(lines)
    assert not differing, "\n\n".join(f"{case}\n{diff}" for case, diff in differing.items())
    # the rows have many outcomes, so that something is compared
    assert codes["OK"] >= 3, codes
    assert len(codes) >= 3, codes
