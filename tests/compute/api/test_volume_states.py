"""Lists of volumes by state, over REST."""

from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compute.models import Volume
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, Status
from tests.compute.api.conftest import Api
from tests.factories.compute import World


def settle(volume: Volume, status: Status, *, terminal: bool = False) -> Volume:
    condition = Condition(READY, status, "X", "", volume.generation, terminal=terminal)
    volume.publish([condition], now())
    return volume


@pytest.fixture
def names(world: World) -> dict[str, str]:
    """A volume in each state: state -> name."""
    attached = world.instance().volume_attachments.get().volume
    deleted = settle(world.volume(), Status.TRUE)
    volumes = {
        "PENDING": world.volume(),
        "AVAILABLE": settle(world.volume(), Status.TRUE),
        "IN_USE": settle(attached, Status.TRUE),
        "ERROR": settle(world.volume(), Status.FALSE, terminal=True),
        "DELETED": deleted,
    }
    Volume.objects.filter(pk=deleted.pk).update(delete_time=now(), purge_time=now())
    return {state: volume.name for state, volume in volumes.items()}


def found(api: Api, filter_: str, **parameters: str) -> list[tuple[str, str]]:
    query = "&".join(f"{k}={v}" for k, v in parameters.items())
    answer = api.get(f"volumes?filter={quote(filter_)}&{query}")
    assert answer.status_code == 200, answer.content
    return sorted((item["state"], item["name"]) for item in answer.json()["volumes"])


@pytest.mark.parametrize("state", ["PENDING", "AVAILABLE", "IN_USE", "ERROR", "DELETED"])
def test_each_state_finds_the_volume_that_shows_it(
    api: Api, names: dict[str, str], state: str
) -> None:
    assert found(api, f"state = {state}", show_deleted="true") == [(state, names[state])]


def test_states_are_combined_with_the_rest_of_the_language(api: Api, names: dict[str, str]) -> None:
    free = {("AVAILABLE", names["AVAILABLE"]), ("ERROR", names["ERROR"])}
    assert set(found(api, "state = AVAILABLE OR state = ERROR")) == free
    others = {(state, name) for state, name in names.items() if state != "DELETED"} - free
    assert set(found(api, "state != AVAILABLE AND NOT state = ERROR")) == others
    assert found(api, "state = DELETED") == []


def test_a_list_by_state_is_paged(api: Api, world: World) -> None:
    for _ in range(5):
        settle(world.volume(), Status.TRUE)
        world.volume()
    names: list[str] = []
    token = ""
    while True:
        page = api.get(f"volumes?filter=state%3DAVAILABLE&page_size=2&page_token={token}").json()
        names += [item["name"] for item in page["volumes"]]
        token = page.get("next_page_token", "")
        if not token:
            break
    assert len(names) == len(set(names)) == 5


@pytest.mark.parametrize("count", [1, 8])
def test_the_number_of_queries_is_that_of_any_list(api: Api, world: World, count: int) -> None:
    for _ in range(count):
        settle(world.volume(), Status.TRUE)
    # the first call also notes when the token was used
    api.get("volumes")
    numbers = []
    for path in ("volumes", "volumes?filter=state%3DAVAILABLE"):
        with CaptureQueriesContext(connection) as queries:
            assert len(api.get(path).json()["volumes"]) == count
        numbers.append(len(queries))
    assert numbers[0] == numbers[1] < 8
