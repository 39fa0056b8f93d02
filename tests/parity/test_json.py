"""The JSON of REST is that of the protos: each answer parses strictly into its message, and gives the same again."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import status_pb2

from cycloud.core.aip.openapi.examples import read_examples
from cycloud.core.aip.openapi.protos import Method, read_api
from cycloud.core.aip.rpc.bindings import MethodKind
from tests.factories.rest import Answer, RestClient
from tests.schema.world import PROJECT, Seeded, fill_world

METHODS = [m for m in read_api().methods if m.binding.kind is not MethodKind.WATCH]
BY_NAME = {method.name: method for method in METHODS}
READS = (MethodKind.GET, MethodKind.LIST)
# a repeated field cannot be unset in protobuf: REST leaves these out for who is no operator, and what Google's
# ListOperationsResponse has for services of many locations
LEFT_OUT = {"placements", "provider_images", "unreachable"}
TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d+)Z")


@pytest.fixture
def seeded(db: None) -> Seeded:
    return fill_world()


def path_of(method: Method, ids: dict[str, str]) -> str:
    return method.path.removeprefix("/v1/").format(**ids)


def without_nulls(value: Any) -> Any:
    """Leave out what is not set, and write times in one way (protobuf leaves out zeros at the end of a second)."""
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value]
    if isinstance(value, str):
        return TIME.sub(_short, value)
    return value


def _short(found: re.Match[str]) -> str:
    fraction = found[2].rstrip("0")
    return f"{found[1]}.{fraction}Z" if fraction else f"{found[1]}Z"


def without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: without_empty(inner)
            for key, inner in value.items()
            if not (key in LEFT_OUT and inner == [])
        }
    if isinstance(value, list):
        return [without_empty(inner) for inner in value]
    return value


def check(json: Any, message: Message) -> None:
    """Fail for a field that the message does not have, and for one of the message that the JSON does not have."""
    ParseDict(json, message)
    back = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    said, again = without_empty(without_nulls(json)), without_empty(without_nulls(back))
    if "name" not in json and json.get("done"):
        # validate_only, or a delete of what is not there: under no operation's name
        said, again = _without_defaults(said), _without_defaults(again)
    assert again == said


def check_answer(method: Method, answer: Answer) -> None:
    if answer.status == 200:
        json = dict(answer.json)
        if method.name == "ListOperations":
            # all lists have it, but this message is Google's
            json.pop("resource_version")
        check(json, GetMessageClass(method.descriptor.output_type)())
    else:
        check_error(answer)


def check_error(answer: Answer) -> None:
    """The refusal is a google.rpc.Status, but for ``code``, which is the HTTP status, and the code's name."""
    assert set(answer.json) == {"error"}
    error = dict(answer.json["error"])
    assert error.pop("code") == answer.status
    assert re.fullmatch(r"[A-Z_]+", error.pop("status"))
    assert error["details"][0]["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
    ParseDict(error, status := status_pb2.Status())
    back = MessageToDict(status, preserving_proto_field_name=True)
    assert _without_defaults(back) == _without_defaults(error)


def _without_defaults(value: Any) -> Any:
    """Leave out what is empty, as a gRPC client sees it the same whether it was sent or not."""
    if isinstance(value, dict):
        found = {key: _without_defaults(inner) for key, inner in value.items()}
        return {key: inner for key, inner in found.items() if inner not in ("", 0, False, [], {})}
    return [_without_defaults(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("who", ["operator", "editor"])
def test_every_read_of_every_resource(seeded: Seeded, who: str) -> None:
    client = RestClient(getattr(seeded, who))
    answered = set()
    for method in METHODS:
        if method.binding.kind not in READS:
            continue
        for ids in _all_ids(method, seeded):
            answer = client("GET", path_of(method, ids))
            check_answer(method, answer)
            if answer.status == 200:
                answered.add(method.name)
    refused = {m.name for m in METHODS if m.binding.kind in READS} - answered
    # clusters, credentials and the audit log are not for editors
    assert {name for name in refused if "Cluster" not in name} <= (
        set() if who == "operator" else EDITORS_MAY_NOT
    )


EDITORS_MAY_NOT = {
    "GetAuditEntry",
    "GetServiceAccountKey",
    "GetToken",
    "ListAuditEntries",
    "ListServiceAccountKeys",
}


def _all_ids(method: Method, seeded: Seeded) -> list[dict[str, str]]:
    """Return the ids of each resource that the method's path can name."""
    first = {name: ids[0] for name, ids in seeded.ids.items()}
    if not method.parameters:
        return [first]
    last = method.parameters[-1]
    return [{**first, last: one} for one in seeded.ids[last]]


@pytest.mark.parametrize("dry_run", ["true", "false"])
def test_every_write(seeded: Seeded, dry_run: str) -> None:
    client = RestClient(seeded.operator)
    ids = {name: values[0] for name, values in seeded.ids.items()} | {"attached": seeded.attached}
    refused = {}
    for name, (where, body) in _writes(ids).items():
        method = BY_NAME[name]
        path = path_of(method, {**ids, **where})
        if method.body_is_request:
            body = body if name in WITHOUT_DRY_RUN else {**body, "validate_only": dry_run == "true"}
        else:
            path += f"{'&' if '?' in path else '?'}validate_only={dry_run}" + _id_query(method)
        before = transaction.savepoint()
        answer = client(method.http.upper(), path, body)
        transaction.savepoint_rollback(before)
        check_answer(method, answer)
        if answer.status != 200:
            refused[name] = answer.json["error"]["message"]
    writes = {m.name for m in METHODS if m.binding.kind not in READS}
    assert writes - set(_writes(ids)) == set()
    assert refused == {}


# google.longrunning has no validate_only, and this one writes nothing
WITHOUT_DRY_RUN = {"CancelOperation", "WaitOperation", "TestIamPermissions"}
NEW_IDS = {"member_id": "user-new"}


def _id_query(method: Method) -> str:
    names = [f.name for f in method.query_fields if f.name.endswith("_id")]
    return "".join(
        f"&{name}={NEW_IDS.get(name, 'new-1')}" for name in names if name != "request_id"
    )


Writes = dict[str, tuple[dict[str, str], dict[str, Any]]]


def _writes(ids: dict[str, str]) -> Writes:
    """Return for each write what it names and its body, such that it is not refused."""
    examples = read_examples()
    same: Writes = {
        m.name: ({}, examples.request(m) or {}) for m in METHODS if m.binding.kind not in READS
    }
    return {**same, **_catalog_writes(ids), **_project_writes(ids)}


def _catalog_writes(ids: dict[str, str]) -> Writes:
    place = {"cluster": ids["openstack_cluster"], "provider_id": "1"}
    volumes = {**place, "provider_type": "shared", "backend_host": "host@shared#shared"}
    cluster = {**read_examples().resources["cycloud.catalog.v1.OpenStackCluster"]["create"]}
    kind = {"family": ids["instance_family"], "vcpus": 1, "memory_mib": 512}
    return {
        "CreateInstanceType": ({}, {**kind, "placements": [place]}),
        "CreateVolumeType": ({}, {"display_name": "New", "placements": [volumes]}),
        "CreatePublicImage": ({}, {"minimum_size": "10Gi", "provider_images": [place]}),
        "CreateOpenStackCluster": (
            {},
            {**cluster, "availability_zone": ids["availability_zone"]},
        ),
        # what nothing refers to
        "DeleteAvailabilityZone": ({"availability_zone": "spare"}, {}),
        "DeleteInstanceFamily": ({"instance_family": "spare"}, {}),
        "DeleteInstanceType": ({"instance_type": "spare"}, {}),
        "DeleteVolumeType": ({"volume_type": "spare"}, {}),
        "DeletePublicImage": ({"public_image": "spare"}, {}),
        "DeleteOpenStackCluster": ({"openstack_cluster": "spare"}, {}),
        "RetireOpenStackCluster": ({"openstack_cluster": "spare"}, {}),
    }


def _project_writes(ids: dict[str, str]) -> Writes:
    zone, subnet = ids["availability_zone"], ids["subnet"]
    volume = {"volume_type": ids["volume_type"], "size": "20Gi"}
    instance = {
        "instance_type": ids["instance_type"],
        "availability_zone": zone,
        "volumes": [{**volume, "image": ids["public_image"]}],
        "network_interfaces": [{"subnet": subnet}],
        "labels": {"app": "web"},
    }
    free = {"volume": "data-1"}
    return {
        "CreateInstance": ({}, instance),
        "UpdateInstance": ({}, {"display_name": "Front end"}),
        "StartInstance": ({"instance": "batch-1"}, {}),
        "AttachVolume": ({"instance": "batch-1"}, free),
        "DetachVolume": ({"instance": "batch-1"}, {"volume": ids["attached"]}),
        "DeleteInstance": ({"instance": "spare"}, {}),
        "CreateVolume": ({}, {**volume, "availability_zone": zone}),
        "UpdateVolume": (free, {"size": "30Gi"}),
        "GrowVolume": (free, {"size": "40Gi"}),
        "DeleteVolume": ({"volume": "spare"}, {}),
        "UndeleteVolume": ({"volume": "gone-1"}, {}),
        "CreateSubnet": (
            {},
            {"vpc": ids["vpc"], "availability_zone": zone, "cidr": "10.9.0.0/24"},
        ),
        "CreateNetworkInterface": ({}, {"subnet": subnet}),
        "DeleteNetworkInterface": ({}, {}),
        "DeleteSubnet": ({"subnet": "spare"}, {}),
        "DeleteVPC": ({"vpc": "spare"}, {}),
        "DeleteProject": ({"project": "spare"}, {}),
        "CreateToken": ({}, {"display_name": "CI", "project": "projects/demo", "role": "viewer"}),
        "WaitOperation": ({}, {"timeout": "0s"}),
    }


def test_refusals_of_every_kind(seeded: Seeded) -> None:
    operator, editor = RestClient(seeded.operator), RestClient(seeded.editor)
    calls: list[Callable[[], Answer]] = [
        lambda: RestClient()("GET", "projects"),
        lambda: RestClient("cyc_wrong")("GET", "projects"),
        lambda: editor("DELETE", "instanceTypes/x"),
        lambda: operator("GET", f"projects/{PROJECT}/instances/none"),
        lambda: operator("POST", "projects?project_id=demo", {}),
        lambda: operator("POST", f"projects/{PROJECT}/instances", {"labels": {"a": 1}}),
        lambda: operator("POST", f"projects/{PROJECT}/instances", raw=b"{"),
        lambda: operator(
            "POST", f"projects/{PROJECT}/instances", raw=b"a", content_type="text/plain"
        ),
        lambda: operator("DELETE", f"projects/{PROJECT}/instances/batch-1"),
        lambda: operator("DELETE", f"projects/{PROJECT}/instances/web-1?etag=old"),
        lambda: operator("PUT", "projects"),
        lambda: operator("GET", "nothing"),
        lambda: operator("GET", f"projects/{PROJECT}/instances:watch?resource_version=99999"),
        lambda: operator("GET", f"projects/{PROJECT}/instances?filter=("),
    ]
    statuses = []
    for refused in calls:
        answer = refused()
        check_error(answer)
        statuses.append(answer.status)
    assert {400, 401, 403, 404, 405, 409, 415} <= set(statuses)
