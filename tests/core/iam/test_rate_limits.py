"""Token buckets: how often a principal may call, and an address fail."""

import threading
from typing import Any

import pytest
from django.core.cache import cache

from cycloud.core.aip.errors import ResourceExhausted
from cycloud.core.iam import rate_limits
from cycloud.core.iam.actor import Role
from cycloud.core.iam.authentication import actor_for_header
from cycloud.core.iam.models import ApiToken
from cycloud.core.iam.rate_limits import Rate, limit_principal, take, wait_for
from tests.factories.iam import ProjectFactory, UserFactory
from tests.factories.rest import RestClient, client_with, token_for


class Time:
    """The clock of the buckets."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    clock = Time()
    monkeypatch.setattr(rate_limits, "time", clock)
    cache.clear()
    return clock


def allowed(name: str, rate: Rate, most: int = 1000) -> int:
    """Return how many calls in a row are let through now."""
    for count in range(most):
        if take(name, rate):
            return count
    return most


def test_a_burst_is_let_through_and_then_the_rate(clock: Time) -> None:
    rate = Rate(10, 20)
    assert allowed("x", rate) == 20
    clock.now += 0.5
    assert allowed("x", rate) == 5
    clock.now += 0.1
    assert allowed("x", rate) == 1
    clock.now += 3600
    assert allowed("x", rate) == 20


def test_the_wait_is_until_the_next_token(clock: Time) -> None:
    rate = Rate(2, 3)
    assert allowed("x", rate) == 3
    wait = take("x", rate)
    assert wait == pytest.approx(0.5)
    # what is refused takes nothing, however often it is tried
    for _ in range(10):
        assert take("x", rate) == pytest.approx(0.5)
    clock.now += wait
    assert take("x", rate) == 0


def test_looking_takes_nothing(clock: Time) -> None:
    rate = Rate(2, 3)
    for _ in range(10):
        assert wait_for("x", rate) == 0
    assert allowed("x", rate) == 3
    assert wait_for("x", rate) == take("x", rate) == pytest.approx(0.5)
    clock.now += 0.5
    assert wait_for("x", rate) == 0


def test_every_name_has_its_own_bucket() -> None:
    rate = Rate(1, 1)
    assert allowed("a", rate) == allowed("b", rate) == 1
    assert take("long name with\nodd signs" * 50, rate) == 0


def test_a_rate_of_nothing_is_no_limit() -> None:
    assert allowed("x", Rate(0, 0)) == 1000


def test_a_slow_rate_is_kept_for_long_enough(clock: Time) -> None:
    assert Rate(1 / 3600, 5).life == 2 * 5 * 3600
    assert Rate(100, 100).life == 3600


def test_calls_in_parallel_do_not_take_the_same_token() -> None:
    rate = Rate(0.001, 50)
    take("x", rate)
    passed: list[int] = []
    start = threading.Barrier(8)

    def call() -> None:
        start.wait()
        passed.append(sum(1 for _ in range(50) if not take("x", rate)))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # a call that is refused gives back what it took, so that one beside it may be refused with it
    assert 40 <= sum(passed) <= 49


def test_without_its_cache_nothing_is_refused(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, settings: Any
) -> None:
    settings.CYCLOUD_CACHE_ERRORS = ["builtins.ConnectionError"]

    def fail(*args: Any) -> int:
        raise ConnectionError("gone")

    monkeypatch.setattr(cache, "incr", fail, raising=False)
    assert take("x", Rate(1, 1)) == 0
    assert "calls are not limited" in caplog.text


def test_the_error_says_how_long_to_wait(settings: Any) -> None:
    settings.CYCLOUD_RATE_PER_SECOND, settings.CYCLOUD_RATE_BURST = 4.0, 1
    limit_principal("users/ann")
    with pytest.raises(
        ResourceExhausted, match=r"users/ann calls too often: 4 times a second"
    ) as found:
        limit_principal("users/ann")
    assert found.value.reason == "RATE_LIMITED"
    assert found.value.retry_after == pytest.approx(0.25)


@pytest.mark.django_db
def test_a_principal_is_limited_whatever_it_comes_with(clock: Time, settings: Any) -> None:
    settings.CYCLOUD_RATE_PER_SECOND, settings.CYCLOUD_RATE_BURST = 1.0, 2
    user = UserFactory.create()
    first, second = RestClient(token_for(user)), RestClient(token_for(user))
    assert first("GET", "projects").status == second("GET", "projects").status == 200
    answer = first("GET", "projects")
    assert (answer.status, answer.reason) == (429, "RATE_LIMITED")
    assert answer.headers["Retry-After"] == "1"
    details = {
        detail["@type"].rpartition(".")[2]: detail for detail in answer.json["error"]["details"]
    }
    assert details["RetryInfo"]["retry_delay"] == "1s"
    secret = token_for(user)
    with pytest.raises(ResourceExhausted):
        actor_for_header(f"Bearer {secret}", source_address="192.0.2.1")
    # others are not
    assert client_with(Role.VIEWER, ProjectFactory.create())("GET", "projects").status == 200
    clock.now += 1
    assert first("GET", "projects").status == 200


@pytest.mark.django_db
def test_failures_of_an_address_are_limited_and_good_tokens_from_it_are_not(settings: Any) -> None:
    settings.CYCLOUD_RATE_FAILURES_PER_SECOND, settings.CYCLOUD_RATE_FAILURES_BURST = 1.0, 2
    seen = [RestClient("cyc_" + "x" * 40)("GET", "projects").status for _ in range(3)]
    seen.append(RestClient()("GET", "projects").status)
    assert seen == [401, 401, 429, 429]
    call = client_with(Role.VIEWER, ProjectFactory.create())
    assert call("GET", "projects").status == 200
    assert ApiToken.objects.count() == 1


@pytest.mark.django_db
def test_a_session_is_limited_like_a_token(settings: Any, client: Any) -> None:
    settings.CYCLOUD_RATE_PER_SECOND, settings.CYCLOUD_RATE_BURST = 1.0, 1
    client.force_login(UserFactory.create())
    assert client.get("/v1/projects").status_code == 200
    assert client.get("/v1/projects").status_code == 429
