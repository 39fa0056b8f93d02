"""The server as a whole: health, reflection, TLS, ports, and how it ends."""

import threading
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from cycloud.core.aip.rpc import servicer
from cycloud.core.aip.rpc.server import CannotListen, RpcOptions, RpcServer, Tls, TlsFileError
from tests.support.authority import Authority
from tests.support.rpc import RpcAnswer, RpcClient, rpc_server


def health_of(port: int, service: str = "") -> Any:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        request = health_pb2.HealthCheckRequest(service=service)
        return health_pb2_grpc.HealthStub(channel).Check(request, timeout=10).status


def test_health_needs_no_credentials(server: RpcServer) -> None:
    serving = health_pb2.HealthCheckResponse.SERVING
    assert health_of(server.port) == serving
    assert health_of(server.port, "cycloud.compute.v1.InstanceService") == serving
    with pytest.raises(grpc.RpcError) as error:
        health_of(server.port, "cycloud.compute.v1.Nothing")
    assert error.value.code() is grpc.StatusCode.NOT_FOUND


def services_by_reflection(port: int) -> list[str]:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        (answer,) = stub.ServerReflectionInfo(iter([request]), timeout=10)
        return [service.name for service in answer.list_services_response.service]


def test_reflection_names_the_services(server: RpcServer) -> None:
    names = services_by_reflection(server.port)
    assert "cycloud.compute.v1.InstanceService" in names
    assert "google.longrunning.Operations" in names


@pytest.mark.parametrize(
    ("symbol", "found"),
    [
        ("cycloud.compute.v1.InstanceService", True),
        ("cycloud.compute.v1.InstanceService.StartInstance", True),
        ("cycloud.common.v1.OperationMetadata", True),
        ("google.rpc.ErrorInfo", True),
        ("cycloud.compute.v1.InstanceService.FlyInstance", False),
        ("nothing.at.all", False),
        ("", False),
    ],
)
def test_reflection_finds_services_methods_and_what_an_any_holds(
    server: RpcServer, symbol: str, found: bool
) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol=symbol)
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        (answer,) = stub.ServerReflectionInfo(iter([request]), timeout=10)
    assert answer.HasField("file_descriptor_response") is found
    assert answer.HasField("error_response") is not found


def test_reflection_can_be_off(db: None) -> None:
    with rpc_server(reflection=False) as server:
        with pytest.raises(grpc.RpcError) as error:
            services_by_reflection(server.port)
        assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_a_port_in_use_is_named(server: RpcServer) -> None:
    with pytest.raises(CannotListen, match=rf"127\.0\.0\.1:{server.port}"):
        RpcServer(RpcOptions(port=server.port))


def test_processes_that_say_so_share_a_port(db: None) -> None:
    first = RpcServer(RpcOptions(share_port=True))
    second = RpcServer(RpcOptions(port=first.port, share_port=True))
    assert second.port == first.port
    for server in (first, second):
        server.start()
        server.stop()


def test_a_stop_lets_a_call_under_way_end_and_takes_no_new_one(
    server: RpcServer, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on = threading.Event(), threading.Event()

    def hold(*_: Any) -> dict[str, Any]:
        began.set()
        assert go_on.wait(20)
        return {"name": "projects/p/vpcs/v"}

    monkeypatch.setattr(servicer, "get_resource", hold)
    answers: list[RpcAnswer] = []
    client = RpcClient(server.port, secret)
    request = ("networking.v1.VPCService/GetVPC", {"name": "projects/p/vpcs/v"})
    caller = threading.Thread(target=lambda: answers.append(client(*request)))
    caller.start()
    assert began.wait(20)
    stopper = threading.Thread(target=server.stop, args=(20.0,))
    stopper.start()
    # the listener is closed a moment after the stop began
    codes = (RpcClient(server.port, secret)(*request, timeout=0.5).code for _ in range(40))
    assert grpc.StatusCode.UNAVAILABLE in codes
    go_on.set()
    stopper.join(20)
    caller.join(20)
    assert answers[0].json["name"] == "projects/p/vpcs/v"


# -- TLS


def answers_over_tls(
    port: int, authority: Authority, client: tuple[Path, Path] | None = None
) -> bool:
    """Ask for the health over TLS, trusting ``authority``; raises RpcError where no connection comes about."""
    pair = None if client is None else (client[1].read_bytes(), client[0].read_bytes())
    credentials = grpc.ssl_channel_credentials(authority.file.read_bytes(), *(pair or ()))
    with grpc.secure_channel(f"127.0.0.1:{port}", credentials) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=5)
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def test_tls_follows_its_files(db: None, tmp_path: Path) -> None:
    old, new = Authority(tmp_path, "old"), Authority(tmp_path, "new")
    certificate, key = old.issue("server")
    with rpc_server(tls=Tls(certificate, key)) as server:
        assert answers_over_tls(server.port, old)
        with pytest.raises(grpc.RpcError):
            answers_over_tls(server.port, new)
        # a renewal, here by another authority
        new.issue("server")
        assert answers_over_tls(server.port, new)
        # who speaks without TLS gets nothing
        assert RpcClient(server.port)("iam.v1.ProjectService/ListProjects", timeout=5).code is (
            grpc.StatusCode.UNAVAILABLE
        )


def test_a_client_without_a_certificate_is_refused_where_one_is_asked_for(
    db: None, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.issue("server")
    with rpc_server(tls=Tls(certificate, key, client_ca=authority.file)) as server:
        assert answers_over_tls(server.port, authority, authority.issue("client"))
        with pytest.raises(grpc.RpcError):
            answers_over_tls(server.port, authority)


def test_a_missing_file_for_tls_is_named(tmp_path: Path) -> None:
    with pytest.raises(TlsFileError, match=r"nowhere\.pem"):
        RpcServer(RpcOptions(tls=Tls(tmp_path / "server.pem", tmp_path / "nowhere.pem")))
