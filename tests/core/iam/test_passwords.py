"""Passwords cannot be guessed at."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from cycloud.core.iam import rate_limits
from tests.factories.iam import OperatorFactory

pytestmark = pytest.mark.django_db
PASSWORD = "a long test password"


class Time:
    now = 1_700_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Time:
    clock = Time()
    monkeypatch.setattr(rate_limits, "time", clock)
    settings.CYCLOUD_RATE_FAILURES_PER_SECOND = 5.0
    cache.clear()
    return clock


def signs_in(username: str, password: str, page: str = "/sign-in/", address: str = "") -> bool:
    client = Client(REMOTE_ADDR=address or "192.0.2.1")
    client.post(page, {"username": username, "password": password})
    return "_auth_user_id" in client.session


@pytest.mark.parametrize("page", ["/sign-in/", "/admin/login/"])
def test_after_ten_wrong_passwords_the_right_one_has_to_wait(clock: Time, page: str) -> None:
    OperatorFactory.create(username="olga", password=PASSWORD)
    OperatorFactory.create(username="otto", password=PASSWORD)
    for number in range(10):
        assert signs_in("olga", PASSWORD, page)
        assert not signs_in("olga", f"wrong {number}", page)
    assert not signs_in("olga", PASSWORD, page)
    # the same answer as to a wrong one; other people and other addresses are not touched
    assert signs_in("otto", PASSWORD, page)
    assert signs_in("olga", PASSWORD, page, address="192.0.2.2")
    clock.now += 6
    assert signs_in("olga", PASSWORD, page)


def test_a_disabled_account_stays_out() -> None:
    OperatorFactory.create(username="olga", password=PASSWORD, is_active=False)
    assert not signs_in("olga", PASSWORD)
