import io
import re
import stat
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from catalog.selectors.catalog import list_instance_types
from cycloud.core.iam.actor import Role
from cycloud.core.iam.authentication import actor_for_secret
from cycloud.core.iam.models import ApiToken, Membership, User
from cycloud.embedded.lock import only_one
from cycloud.embedded.management.commands import demo, up
from cycloud.embedded.management.commands import seed as seed_command
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


@pytest.fixture
def embedded(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_the_command_tells_what_it_made_and_shows_the_passwords_once(embedded: Path) -> None:
    first, second = io.StringIO(), io.StringIO()
    call_command(seed_command.Command(), stdout=first)
    assert "made volumeTypes/cgp1" in first.getvalue()
    password = re.findall(r"password of demo, .*: (\S+)", first.getvalue())[0]
    assert authenticate(username="demo", password=password) is not None
    call_command(seed_command.Command(), stdout=second)
    assert second.getvalue() == "  everything is there already\n"


def test_the_ids_that_it_entered_are_those_that_a_later_start_serves(embedded: Path) -> None:
    call_command(seed_command.Command(), stdout=io.StringIO())
    cloud = Site.load(embedded / "simulator.state").clouds["a"]
    placements = list_instance_types().get(resource_id="m7a.small").placements.all()
    assert [p.provider_id for p in placements] == [cloud.flavor_id("m7a.small")]


def test_the_command_refuses_beside_a_portal_that_runs(embedded: Path) -> None:
    with only_one(embedded / "up.lock"), pytest.raises(CommandError, match="runs already"):
        call_command(seed_command.Command(), stdout=io.StringIO())


@pytest.mark.parametrize("module", [seed_command, demo, up])
def test_the_commands_say_so_where_the_settings_are_not_the_embedded_ones(
    module: ModuleType,
) -> None:
    with pytest.raises(CommandError, match="embedded portal only"):
        call_command(module.Command(), stdout=io.StringIO())
