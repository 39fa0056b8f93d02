import stat
from pathlib import Path

import pytest
from django.contrib.auth import authenticate

from cycloud.core.iam.actor import Role
from cycloud.core.iam.authentication import actor_for_secret
from cycloud.core.iam.models import ApiToken, Membership, User
from cycloud.embedded.seed import seed
from cycloud.embedded.seed_result import SeedResult
from cycloud.simulator.site import Site

pytestmark = pytest.mark.django_db


def run(folder: Path, site: Site | None = None) -> SeedResult:
    return seed(
        site or Site(), lambda cloud: f"http://127.0.0.1:5900/{cloud}", folder / "demo-token"
    )


def test_the_passwords_are_random_work_and_are_kept_only_as_hashes(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert sorted(result.passwords) == ["demo", "operator"]
    for username, password in result.passwords.items():
        assert len(password) >= 16
        assert authenticate(username=username, password=password) is not None
        assert password not in User.objects.get(username=username).password
        assert password not in repr(result)
    assert len(set(result.passwords.values())) == 2


def test_the_demo_user_edits_one_project_and_the_operator_may_do_all(tmp_path: Path) -> None:
    run(tmp_path)
    assert list(
        Membership.objects.values_list("project__resource_id", "user__username", "role")
    ) == [("demo", "demo", Role.EDITOR)]
    assert set(User.objects.values_list("username", "is_staff", "is_superuser")) == {
        ("demo", False, False),
        ("operator", True, True),
    }


def test_the_token_of_the_tour_is_in_a_file_that_only_its_user_reads(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert stat.S_IMODE(result.token_file.stat().st_mode) == 0o600
    actor = actor_for_secret(result.token_file.read_text().strip())
    assert actor.principal == "users/demo"
    assert actor.roles == {"demo": Role.EDITOR}
    assert not actor.is_operator


def test_a_second_time_it_makes_nothing_and_changes_no_password(tmp_path: Path) -> None:
    site = Site()
    first = run(tmp_path, site)
    secret = first.token_file.read_text()
    second = run(tmp_path, site)
    assert (second.created, second.passwords) == ((), {})
    assert second.token_file.read_text() == secret
    assert authenticate(username="demo", password=first.passwords["demo"]) is not None


def test_a_revoked_token_is_replaced_by_a_new_one(tmp_path: Path) -> None:
    site = Site()
    first = run(tmp_path, site)
    secret = first.token_file.read_text()
    ApiToken.objects.update(revoke_time=ApiToken.objects.get().create_time)
    assert run(tmp_path, site).created == ("token in demo-token",)
    assert first.token_file.read_text() != secret
    assert actor_for_secret(first.token_file.read_text().strip()).principal == "users/demo"


def test_a_membership_that_was_taken_away_stays_away(tmp_path: Path) -> None:
    site = Site()
    run(tmp_path, site)
    Membership.objects.all().delete()
    run(tmp_path, site)
    assert not Membership.objects.exists()
