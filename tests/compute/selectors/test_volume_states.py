"""The state that a list can be filtered by is the state that each volume shows."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from compute.models import Volume, VolumeAttachment
from compute.selectors.volumes import state_expression, state_of_volume, volume_rows
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, Status, to_json
from tests.factories.compute import InstanceFactory, World

GENERATION = 2
STATES = {"PENDING", "AVAILABLE", "IN_USE", "ERROR", "DELETED"}


def conditions() -> list[list[dict[str, Any]]]:
    """Return every list of conditions that matters: without Ready, with each kind of it, in every place."""
    other = Condition("UpToDate", Status.TRUE, "X", observed_generation=GENERATION, terminal=True)
    settled = Condition(READY, Status.TRUE, "X", observed_generation=GENERATION)
    lists: list[list[Condition]] = [[], [other]]
    generations = (GENERATION - 1, GENERATION, GENERATION + 1)
    for status, observed, terminal in product(Status, generations, (False, True)):
        ready = Condition(READY, status, "X", observed_generation=observed, terminal=terminal)
        opposite = replace(settled, status=Status.FALSE if status is Status.TRUE else Status.TRUE)
        lists += [[ready], [other, ready], [ready, other], [ready, opposite]]
    as_json = [to_json(items) for items in lists]
    old = to_json([settled])
    # written by an older version, which had no such field
    del old[0]["terminal"]
    return [*as_json, old]


@pytest.fixture
def every_kind(world: World) -> int:
    """Store a volume of every combination; return how many there are."""
    instance = InstanceFactory.create(project=world.project, availability_zone=world.zone)
    combinations = list(product((None, now()), (False, True), conditions()))
    volumes = [
        Volume(
            project=world.project,
            resource_id=f"v-{number}",
            volume_type=world.shared,
            availability_zone=world.zone,
            size_gib=10,
            generation=GENERATION,
            conditions=items,
            delete_time=deleted,
        )
        for number, (deleted, _, items) in enumerate(combinations)
    ]
    Volume.objects.bulk_create(volumes)
    VolumeAttachment.objects.bulk_create(
        VolumeAttachment(instance=instance, volume=volume, device_index=index)
        for index, (volume, (_, attached, _)) in enumerate(zip(volumes, combinations, strict=True))
        if attached
    )
    return len(volumes)


def test_the_database_and_the_rule_agree_on_every_combination(every_kind: int) -> None:
    rows = list(volume_rows().annotate(found=state_expression()))
    assert len(rows) == every_kind > 200
    wrong = [
        (row.found, state_of_volume(row), row.delete_time, row.conditions)
        for row in rows
        if row.found != state_of_volume(row)
    ]
    assert wrong == []
    assert {row.found for row in rows} == STATES


@pytest.mark.parametrize("state", sorted(STATES))
def test_a_filter_finds_the_volumes_of_that_state_and_no_others(
    every_kind: int, state: str, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(2):
        expected = {row.pk for row in volume_rows() if state_of_volume(row) == state}
        rows = volume_rows().alias(state=state_expression()).filter(state=state)
        assert {row.pk for row in rows} == expected
