"""What configurations are taken, and that those that are refused are not quoted."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test.utils import override_settings

from cycloud.kubernetes.config import (
    ApiAccess,
    UnusableConfiguration,
    access_of_settings,
    load_configuration,
)
from tests.support.kubernetes.https import TOKEN, HttpsServer, serving_https


@pytest.fixture
def server(tmp_path: Path) -> Iterator[HttpsServer]:
    with serving_https(tmp_path) as server:
        yield server


def refused(access: ApiAccess) -> str:
    with pytest.raises(UnusableConfiguration) as caught:
        load_configuration(access)
    assert TOKEN not in str(caught.value)
    return str(caught.value)


def test_a_kubeconfig_gives_address_authority_and_token(server: HttpsServer) -> None:
    configuration = load_configuration(ApiAccess(str(server.kubeconfig())))
    assert configuration.host == server.url
    assert configuration.verify_ssl
    assert configuration.get_api_key_with_prefix("BearerToken") == f"Bearer {TOKEN}"
    # what was sent may have been done: nobody but the engine sends again
    assert configuration.retries is False


def test_a_context_can_be_chosen(server: HttpsServer) -> None:
    path = str(server.kubeconfig())
    assert load_configuration(ApiAccess(path, "here")).host == server.url
    assert "elsewhere" in refused(ApiAccess(path, "elsewhere"))


def test_a_server_without_tls_is_refused(server: HttpsServer) -> None:
    path = server.kubeconfig(server="http://127.0.0.1:8080")
    assert "without TLS" in refused(ApiAccess(str(path)))


def test_a_server_whose_certificate_is_not_to_be_verified_is_refused(server: HttpsServer) -> None:
    path = server.kubeconfig(insecure_skip_tls_verify=True, certificate_authority_data=None)
    message = refused(ApiAccess(str(path)))
    assert "insecure-skip-tls-verify" in message
    assert "certificate-authority" in message


def test_no_configuration_and_two_are_refused_with_the_settings_to_change() -> None:
    assert "CYCLOUD_KUBERNETES_KUBECONFIG" in refused(ApiAccess())
    assert "both" in refused(ApiAccess(kubeconfig="x", in_cluster=True))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert str(tmp_path / "none") in refused(ApiAccess(str(tmp_path / "none")))


@pytest.mark.parametrize(
    "text",
    [
        f"users: [{{name: us, user: {{token: {TOKEN}}}",
        f"token: '{TOKEN}",
        f"- {TOKEN}",
        TOKEN,
        "",
        f"clusters: {TOKEN}\nusers: {TOKEN}\ncontexts: {TOKEN}\ncurrent-context: here\n",
        "clusters: []\nusers: []\ncontexts: []\ncurrent-context: {token: 1}\n",
    ],
    ids=["cut off", "open quote", "list", "text", "empty", "texts for lists", "no context"],
)
def test_a_file_that_is_no_kubeconfig_is_refused_without_quoting_it(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    assert str(path) in refused(ApiAccess(str(path)))


def test_outside_a_pod_there_is_no_configuration_in_the_cluster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert "CYCLOUD_KUBERNETES_IN_CLUSTER" in refused(ApiAccess(in_cluster=True))


@override_settings(
    CYCLOUD_KUBERNETES_KUBECONFIG="/k",
    CYCLOUD_KUBERNETES_CONTEXT="c",
    CYCLOUD_KUBERNETES_IN_CLUSTER=False,
)
def test_the_settings_say_where_it_is() -> None:
    assert access_of_settings() == ApiAccess("/k", "c", in_cluster=False)
