"""What holds for every call, whatever its method."""

import threading
from typing import Any

import grpc
import pytest
from django.conf import LazySettings

from cycloud.core.aip.rpc import servicer
from cycloud.core.aip.rpc.server import RpcServer
from cycloud.core.iam.models import AuditEntry, Membership
from tests.support.rpc import RpcClient, refused, rpc_server

GET_VPC = "networking.v1.VPCService/GetVPC"
CREATE_VPC = "networking.v1.VPCService/CreateVPC"


def test_the_request_id_is_the_callers_or_a_new_one_and_reaches_the_audit_log(
    server: RpcServer, secret: str, membership: Membership
) -> None:
    client = RpcClient(server.port, secret, x_request_id="mine-7")
    answer = client(CREATE_VPC, {"parent": membership.project.name, "vpc_id": "v", "vpc": {}})
    assert answer.ok
    assert answer.metadata["x-request-id"] == "mine-7"
    entry = AuditEntry.objects.get(method="CreateVpc")
    assert (entry.request_id, entry.source_address) == ("mine-7", "127.0.0.1")
    other = RpcClient(server.port, secret, x_request_id="not good!")
    assert other(GET_VPC, {"name": "x"}).metadata["x-request-id"] not in ("", "not good!")


@pytest.mark.parametrize(
    ("authorization", "reason"),
    [
        (None, "CREDENTIALS_MISSING"),
        ("Basic YTpi", "CREDENTIALS_INVALID"),
        ("Bearer nonsense", "CREDENTIALS_INVALID"),
        ("Bearer ", "CREDENTIALS_INVALID"),
    ],
)
def test_without_good_credentials_nothing_is_told(
    server: RpcServer, authorization: str | None, reason: str
) -> None:
    given = {} if authorization is None else {"authorization": authorization}
    refusal = RpcClient(server.port, **given)("iam.v1.ProjectService/ListProjects")
    assert refusal.code is grpc.StatusCode.UNAUTHENTICATED
    assert refusal.reason == reason


def test_an_error_has_the_details_that_rest_has(client: RpcClient, membership: Membership) -> None:
    refusal = client(GET_VPC, {"name": f"{membership.project.name}/vpcs/nowhere"})
    assert refusal.code is grpc.StatusCode.NOT_FOUND
    assert refusal.status["code"] == 5
    assert refusal.status["message"] == refusal.message
    assert refusal.reason == "NOT_FOUND"
    assert refusal.detail("ResourceInfo")["resource_type"] == "networking.cycloud.jp/VPC"
    assert refusal.detail("Help")["links"][0]["url"].endswith("#NOT_FOUND")


def test_the_localized_message_has_the_callers_language(
    server: RpcServer, secret: str, membership: Membership
) -> None:
    client = RpcClient(server.port, secret, accept_language="ja-JP,ja;q=0.9")
    refusal = client(GET_VPC, {"name": f"{membership.project.name}/vpcs/nowhere"})
    assert refusal.detail("LocalizedMessage")["locale"] == "ja"


def test_bytes_that_are_no_message_are_the_callers_fault(client: RpcClient) -> None:
    refusal = client(GET_VPC, raw=b"\x0a\xff\xff\xff")
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.reason == "INVALID_MESSAGE"
    # a string that is not UTF-8
    assert client(GET_VPC, raw=b"\x0a\x02\xc3\x28").code is grpc.StatusCode.INVALID_ARGUMENT


def test_a_field_is_named_by_its_path(client: RpcClient, membership: Membership) -> None:
    refusal = client(
        CREATE_VPC, {"parent": membership.project.name, "vpc": {"display_name": "a\0b"}}
    )
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.detail("BadRequest")["field_violations"][0]["field"] == "display_name"


def test_what_nobody_foresaw_is_internal_and_tells_nothing(
    client: RpcClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(servicer, "get_resource", fail)
    refusal = client(GET_VPC, {"name": "projects/p/vpcs/v"})
    assert refusal.code is grpc.StatusCode.INTERNAL
    assert "secret" not in str(refusal)
    assert refusal.detail("ErrorInfo")["metadata"]["incident"] in refusal.message


def test_a_message_over_the_limit_is_refused(client: RpcClient, settings: LazySettings) -> None:
    refusal = client(GET_VPC, raw=b"\x0a" + b"x" * 3_000_000)
    assert refusal.code is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_a_method_that_there_is_not_has_details_too(server: RpcServer) -> None:
    channel = grpc.insecure_channel(f"127.0.0.1:{server.port}")
    call = channel.unary_unary(
        "/cycloud.compute.v1.InstanceService/FlyInstance",
        request_serializer=bytes,
        response_deserializer=bytes,
    )
    with pytest.raises(grpc.RpcError) as error:
        call(b"", timeout=10)
    refusal = refused(error.value)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNIMPLEMENTED, "METHOD_NOT_FOUND")
    assert "FlyInstance" in refusal.message


def test_a_call_whose_deadline_passed_before_it_began_does_nothing(
    secret: str, membership: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on = threading.Event(), threading.Event()

    def hold(*_: Any) -> dict[str, Any]:
        began.set()
        assert go_on.wait(20)
        return {}

    monkeypatch.setattr(servicer, "get_resource", hold)
    with rpc_server(threads=1) as server:
        client = RpcClient(server.port, secret)
        request = {"name": "projects/p/vpcs/v"}
        holder = threading.Thread(target=client, args=(GET_VPC, request))
        holder.start()
        assert began.wait(20)
        # the only thread is busy
        create = {"parent": membership.project.name, "vpc_id": "late", "vpc": {}}
        refusal = client(CREATE_VPC, create, timeout=0.2)
        assert refusal.code is grpc.StatusCode.DEADLINE_EXCEEDED
        go_on.set()
        holder.join(20)
        # behind the late one in the queue
        assert client("iam.v1.ProjectService/ListProjects").ok
    assert not AuditEntry.objects.filter(method="CreateVpc", outcome="OK").exists()
