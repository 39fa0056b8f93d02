"""A filter means the same over a list's query and over JSON, on SQLite and on PostgreSQL."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compute.api.urls import COLLECTIONS as COMPUTE
from compute.api.volumes import Volumes
from compute.models import Volume
from compute.selectors.volumes import volume_rows
from cycloud.core.aip.collection import Call, Collection
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.filter_match import compile_match
from cycloud.core.aip.filters import Field, Kind, parse_filter, resource_filters
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.conditions import Condition, Status, to_json
from networking.api.urls import COLLECTIONS as NETWORKING
from tests.e2e.harness.services import postgres_server
from tests.factories.compute import VolumeAttachmentFactory, VolumeFactory, make_world
from tests.factories.iam import OPERATOR, ProjectFactory

ROOT = Path(__file__).parents[3]
FIELDS = {
    **resource_filters("volumes"),
    "volume_type": Field("volume_type__resource_id"),
    "zone": Field("availability_zone__resource_id", Kind.ENUM, path="availability_zone"),
    "image": Field("image__resource_id"),
    "attached_instance": Field(
        "attachment__instance__resource_id",
        Kind.NAME,
        collection="instances",
        project="attachment__instance__project__resource_id",
    ),
}
READY = Condition("Ready", Status.TRUE, "VolumeBindingReady", observed_generation=1)
DELETING = Condition("Ready", Status.FALSE, "Deleting", 'It "waits" 100% \\ for\nthe É')
OTHER = Condition("UpToDate", Status.UNKNOWN, "ready")
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def rows(db: None) -> list[tuple[str, dict[str, Any]]]:
    """Volumes that differ in all that a filter can ask; with their JSON."""
    project = ProjectFactory.create(resource_id="p")
    texts = ["", "web", "Web-1", "1_0%", "É\\b", 'a "b" *']
    sets: list[dict[str, str]] = [
        {},
        {"env": "web"},
        {"env": "Web-1", "a.b/c": "1_0%"},
        {"env": ""},
        {"a.b/c": "a*"},
        {"1": "x"},
    ]
    for number in range(6):
        volume = VolumeFactory.create(
            project=project if number % 3 else ProjectFactory.create(resource_id=f"p{number}"),
            resource_id=["web", "web-1", "db", "web-2", "x1", "d-web"][number],
            display_name=texts[number],
            labels=sets[number],
            annotations=dict.fromkeys(sets[(number + 2) % 6], texts[(number + 1) % 6]),
            conditions=to_json([[], [READY], [DELETING, OTHER], [OTHER]][number % 4]),
            generation=number,
        )
        if number % 2:
            VolumeAttachmentFactory.create(
                volume=volume,
                instance__project=volume.project,
                instance__resource_id=["web", "x", "web-1"][number // 2],
            )
        time = BEGIN.replace(microsecond=number // 2)
        Volume.objects.filter(pk=volume.pk).update(
            create_time=time, delete_time=time if number % 2 else None
        )
    collection = Volumes()
    return [(str(v.uid), collection.to_json(v, OPERATOR)) for v in volume_rows().order_by("pk")]


def by_query(text: str) -> list[str]:
    rows = volume_rows().filter(parse_filter(text, FIELDS)).order_by("pk")
    return [str(row.uid) for row in rows]


VALUES = st.sampled_from(
    [
        *("web", "Web-1", "WEB*", "web*", "*1", "*eb*", "*", '""', "1_0%", '"É\\\\b"', '"é*"', "x"),
        *('"a \\"b\\" *"', '"*É*"', "True", "False", "ready", "Deleting", "'\n'", "1_*", "*%", "%"),
        "projects/p/instances/web",
        "projects/p/volumes/web*",
        "projects/p/volumes/*",
    ]
)
TEXTS = st.sampled_from(
    [
        *("name", "display_name", "volume_type", "zone", "image", "attached_instance"),
        *("labels.env", 'labels."a.b/c"', "labels.1", "annotations.env", "annotations.none"),
        *("conditions.Ready", "conditions.Ready.reason", "conditions.Ready.message"),
        "conditions.UpToDate.reason",
    ]
)
NUMBERS = st.sampled_from(["generation", "observed_generation"])
TIMES = st.sampled_from(["create_time", "delete_time", "purge_time"])
ORDERED = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
TERMS = st.one_of(
    st.builds("{} {} {}".format, TEXTS, st.sampled_from(["=", "!=", ":"]), VALUES),
    st.builds("{} {} {}".format, NUMBERS, ORDERED, st.integers(-1, 6)),
    st.builds(
        "{} {} 2026-01-01T00:00:00.{:06}Z".format,
        TIMES,
        ORDERED,
        st.integers(0, 3),
    ),
    st.sampled_from(
        [
            *(
                "labels:env",
                "labels:none",
                "-labels:env",
                "conditions:Ready",
                "conditions:UpToDate",
            ),
            *("purge_time:*", "delete_time:*", "image:*", "attached_instance:*"),
        ]
    ),
)
FILTERS = st.recursive(
    TERMS,
    lambda inner: st.one_of(
        st.builds("NOT ({})".format, inner),
        st.builds("({}) AND ({})".format, inner, inner),
        st.builds("({}) OR ({})".format, inner, inner),
        st.builds("({}) ({})".format, inner, inner),
    ),
    max_leaves=6,
)
# the rows are only read, so that one set of them does for all examples
READS = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None
)


@READS
@given(text=FILTERS)
def test_json_and_query_agree(rows: list[tuple[str, dict[str, Any]]], text: str) -> None:
    try:
        expected = by_query(text)
    except InvalidArgument:
        with pytest.raises(InvalidArgument):
            compile_match(text, FIELDS)
        return
    match = compile_match(text, FIELDS)
    assert [uid for uid, body in rows if match(body)] == expected, text


@READS
@given(
    text=st.text(max_size=60)
    | st.text(alphabet="ab=:!<>()\"'-. ANDORT\\*\0\ud800%_é", max_size=60)
    | st.builds(
        "{}{}{}{}".format,
        st.sampled_from(
            [*FIELDS, "labels.", "labels.a", "conditions.Ready", "conditions.Ready.reason"]
        ),
        st.text(alphabet=" .\"'x", max_size=4),
        st.sampled_from(["=", "!=", ":", "<", ">="]),
        st.text(max_size=12) | st.text(alphabet="0123456789-:TZ+.*\"'/", max_size=30),
    )
)
def test_no_text_fails_in_another_way(rows: list[tuple[str, dict[str, Any]]], text: str) -> None:
    """Whatever the text: it is refused with the field named, or its query runs and agrees with the JSON."""
    try:
        match = compile_match(text, FIELDS)
    except InvalidArgument as error:
        assert error.violations[0].field == "filter"
        with pytest.raises(InvalidArgument):
            parse_filter(text, FIELDS)
    else:
        assert by_query(text) == [uid for uid, body in rows if match(body)]


@pytest.mark.parametrize(
    "body", [{}, {"name": None, "labels": None, "conditions": None}, {"labels": 1, "conditions": 2}]
)
@pytest.mark.parametrize(
    "text", ["name = *", "labels:a", "conditions:Ready", "create_time:*", "uid = " + "0" * 32]
)
def test_what_is_absent_matches_nothing(text: str, body: dict[str, Any]) -> None:
    assert not compile_match(text, FIELDS)(body)
    assert compile_match(f"NOT {text}", FIELDS)(body)


@pytest.mark.django_db
@pytest.mark.parametrize("collection", [*COMPUTE, *NETWORKING], ids=lambda c: c.name)
def test_every_field_of_a_watched_list_means_its_json(collection: Collection[Any]) -> None:
    """Each field finds a resource by the value that its JSON shows, in the query and over the JSON."""
    world = make_world()
    world.instance(
        conditions=to_json([READY]), labels={"env": "prod"}, annotations={"note": "x"}, generation=3
    )
    call = Call(OPERATOR, world.project.resource_id, WriteOptions())
    rows = list(collection.rows(call, False))
    assert rows
    for name, field in collection.filters.items():
        for row in rows:
            body = collection.to_json(row, OPERATOR)
            value: Any = body
            for part in (field.path or name).split("."):
                assert part in value, f"{name} is not in the JSON"
                value = value[part]
            if value is None or field.kind in (Kind.MAP, Kind.CONDITIONS):
                continue
            shown = str(value).lower() if isinstance(value, bool) else json.dumps(str(value))
            text = f"{name} = {shown}"
            assert compile_match(text, collection.filters)(body), text
            found = collection.rows(call, False).filter(parse_filter(text, collection.filters))
            assert row in found, text


@pytest.mark.postgres
def test_lists_on_postgresql(tmp_path: Path) -> None:
    """The tests of filters and pages, where NULL, JSON and the comparison of texts are another database's."""
    suites = [
        Path(__file__).with_name(f"test_{name}.py") for name in ("filters", "filter_match", "pages")
    ]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not postgres", "-p", "no:cacheprovider"]
    with postgres_server(tmp_path) as url:
        result = subprocess.run(
            [*command, *map(str, suites)],
            cwd=ROOT,
            env=os.environ | {"CYCLOUD_TEST_DATABASE_URL": url},
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
