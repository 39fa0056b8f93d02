"""Who may read /metrics, and what it tells."""

from datetime import timedelta
from ipaddress import ip_network
from typing import Any

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from cycloud.core.clock import now
from cycloud.core.iam.models import ApiToken, User
from cycloud.core.iam.tokens import digest_of, new_secret
from cycloud.core.metrics.instruments import count_lost_lease, count_provider_call, record_pass
from tests.factories.catalog import OpenStackClusterFactory
from tests.factories.iam import OperatorFactory, UserFactory

pytestmark = pytest.mark.django_db


def token_of(user: User) -> str:
    secret = new_secret()
    expire_time = now() + timedelta(hours=1)
    ApiToken.objects.create(user=user, digest=digest_of(secret), expire_time=expire_time)
    return secret


def get(user: User | None = None, /, **extra: str) -> Any:
    if user is not None:
        extra["HTTP_AUTHORIZATION"] = f"Bearer {token_of(user)}"
    return Client().get("/metrics", **extra)  # type: ignore[arg-type]


def samples(answer: Any) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    text = answer.content.decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(answer: Any, name: str, **labels: str) -> float | None:
    return samples(answer).get((name, frozenset(labels.items())))


def test_nobody_and_a_member_of_a_project_are_refused() -> None:
    answer = get()
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert b"CYCLOUD_METRICS_ALLOW" in answer.content
    assert b"cycloud_" not in answer.content
    answer = get(UserFactory.create())
    assert answer.status_code == 403
    assert b"cycloud_" not in answer.content
    assert get(HTTP_AUTHORIZATION="Bearer wrong").status_code == 401


def test_an_operator_reads_them_with_a_token() -> None:
    answer = get(OperatorFactory.create())
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    assert value(answer, "cycloud_queue_depth", queue="cycloud", lane="user") == 0


def test_only_gets_are_answered() -> None:
    assert Client().post("/metrics").status_code == 405


@pytest.mark.parametrize(
    ("address", "status"),
    [("10.1.2.3", 200), ("10.2.0.1", 401), ("fd00::5", 200), ("fd01::5", 401), ("", 401)],
)
def test_an_address_of_the_list_needs_no_token(settings: Any, address: str, status: int) -> None:
    settings.CYCLOUD_METRICS_ALLOW = [ip_network("10.1.0.0/16"), ip_network("fd00::/64")]
    assert get(REMOTE_ADDR=address).status_code == status


@pytest.mark.parametrize("header", ["HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED"])
def test_what_a_proxy_passes_on_is_never_let_in_by_its_address(settings: Any, header: str) -> None:
    """Else the whole world could read the metrics through a proxy on a listed address."""
    settings.CYCLOUD_METRICS_ALLOW = [ip_network("127.0.0.1")]
    assert get(REMOTE_ADDR="127.0.0.1").status_code == 200
    assert get(REMOTE_ADDR="127.0.0.1", **{header: "10.1.2.3"}).status_code == 401


def test_what_the_process_counted_is_told() -> None:
    operator = OperatorFactory.create()
    labels = {"controller": "volume", "outcome": "Wait"}
    calls = {"cluster_uid": "c-1", "service": "nova", "status": "409"}
    before = get(operator)
    record_pass("volume", "Wait", 0.2)
    count_lost_lease("volume")
    count_provider_call("c-1", "nova", "409")
    after = get(operator)
    for name, named in (
        ("cycloud_reconcile_duration_seconds_count", labels),
        ("cycloud_leases_lost_total", {"controller": "volume"}),
        ("cycloud_provider_calls_total", calls),
    ):
        assert (value(after, name, **named) or 0) - (value(before, name, **named) or 0) == 1, name


def test_a_clusters_name_is_told_by_its_uid() -> None:
    cluster = OpenStackClusterFactory.create()
    answer = get(OperatorFactory.create())
    found = [dict(labels) for name, labels in samples(answer) if name == "cycloud_cluster_info"]
    assert found == [
        {
            "cluster_uid": str(cluster.uid),
            "cluster": cluster.resource_id,
            "controller_name": cluster.controller_name,
            "availability_zone": cluster.availability_zone.resource_id,
            "state": "Active",
        }
    ]


def test_a_scraper_may_ask_for_openmetrics() -> None:
    answer = get(
        OperatorFactory.create(), HTTP_ACCEPT="application/openmetrics-text; version=1.0.0"
    )
    assert answer["Content-Type"].startswith("application/openmetrics-text")
    assert answer.content.endswith(b"# EOF\n")
