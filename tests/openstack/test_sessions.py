"""Which client is used, and what is refused before any call."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from cycloud.openstack.access import ClusterAccess
from cycloud.openstack.faults import FaultKind, ProviderFault
from cycloud.openstack.sessions import OpenStackClient, client_for, forget_clients

ACCESS = ClusterAccess(
    key="tokyo",
    revision=1,
    auth_url="http://127.0.0.1:9/v3",
    username="cycloud",
    password="hush-hush",
    project_name="cycloud",
)


@pytest.fixture(autouse=True)
def _no_clients() -> Iterator[None]:
    forget_clients()
    yield
    forget_clients()


def connect(**changes: Any) -> OpenStackClient:
    return cast(OpenStackClient, client_for(replace(ACCESS, **changes)))


def test_a_client_is_kept_until_its_access_changes() -> None:
    first = connect()

    assert connect() is first
    assert connect(key="osaka") is not first
    second = connect(revision=2)
    assert second is not first
    assert connect(revision=2) is second


def test_a_worker_that_is_behind_does_not_bring_old_credentials_back() -> None:
    second = connect(revision=2)

    assert connect(revision=1) is second


def test_no_repr_shows_the_password() -> None:
    client = connect()

    assert "hush" not in repr(ACCESS)
    assert "hush" not in repr(client._connection)


def test_an_unreachable_identity_service_is_unreachable() -> None:
    with pytest.raises(ProviderFault) as caught:
        connect().get_server("x")

    assert caught.value.kind is FaultKind.UNREACHABLE
    assert caught.value.__cause__ is None
    assert "hush" not in str(caught.value)


def test_the_clusters_limit_lowers_the_microversion_only() -> None:
    def versions(compute: str, storage: str) -> list[str]:
        client = connect(
            key=f"{compute}/{storage}",
            compute_microversion=compute,
            block_storage_microversion=storage,
        )
        return list(client._connection.microversions.values())

    assert versions("", "") == ["2.90", "3.66"]
    assert versions("2.100", "3.71") == ["2.90", "3.66"]
    assert versions("2.79", "3.59") == ["2.79", "3.59"]


@pytest.mark.parametrize("limit", ["2.51", "latest", "2", "2.x"])
def test_a_microversion_limit_that_does_not_serve_is_refused(limit: str) -> None:
    with pytest.raises(ProviderFault) as caught:
        connect(compute_microversion=limit)

    assert caught.value.kind is FaultKind.INVALID
    assert limit in caught.value.text


def test_a_cloud_that_clouds_yaml_does_not_have_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "clouds.yaml"
    file.write_text("clouds: {tokyo: {auth: {auth_url: 'http://127.0.0.1:9/v3'}}}")
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(file))

    with pytest.raises(ProviderFault) as caught:
        connect(cloud_name="kyoto")

    assert caught.value.kind is FaultKind.INVALID
    assert "kyoto" in caught.value.text


def test_an_entry_of_clouds_yaml_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "clouds.yaml"
    file.write_text(
        "clouds: {tokyo: {region_name: East, auth: {auth_url: 'http://127.0.0.1:9/v3', "
        "username: u, password: p, project_name: q, user_domain_name: Default, "
        "project_domain_name: Default}}}"
    )
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(file))

    client = connect(cloud_name="tokyo", password="")

    assert client._connection.region_name == "East"
    auth: Any = client._connection.session.auth
    assert auth.auth_url == "http://127.0.0.1:9/v3"


def test_tls_is_verified_and_a_certificate_of_ones_own_is_used() -> None:
    assert connect()._connection.session.verify is True

    client = connect(key="own-ca", ca_certificate="-----BEGIN CERTIFICATE-----\n")
    path = Path(str(client._connection.session.verify))
    assert path.read_text() == "-----BEGIN CERTIFICATE-----\n"
    assert path.stat().st_mode & 0o077 == 0
    forget_clients()
    assert not path.exists()
