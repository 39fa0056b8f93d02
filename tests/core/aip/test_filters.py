from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.filters import Field, Kind, order_columns, parse_filter, resource_filters
from cycloud.core.conditions import Condition, Status, to_json
from networking.models import VPC
from tests.factories.iam import ProjectFactory
from tests.factories.networking import VpcFactory

FIELDS = {
    **resource_filters("vpcs"),
    "display_name": Field("display_name"),
    "state": Field("display_name", Kind.ENUM),
}
READY_CONDITION = Condition("Ready", Status.TRUE, "Available")
MOVING = Condition("Ready", Status.FALSE, "Moving", "waits for the volume")
OUTDATED = Condition("UpToDate", Status.FALSE, "RestartRequired")


@pytest.fixture
def rows(db: None) -> None:
    project = ProjectFactory.create(resource_id="p")
    for resource_id, display_name, labels, generation in (
        ("web-1", "RUNNING", {"env": "prod", "app.example.com/tier": "front"}, 1),
        ("web-2", "STOPPED", {"env": "test", "1": "one"}, 2),
        ("db-1", "RUNNING", {}, 3),
    ):
        VpcFactory.create(
            project=project,
            resource_id=resource_id,
            display_name=display_name,
            labels=labels,
            generation=generation,
            uid=UUID(int=generation),
        )
    VPC.objects.filter(resource_id="web-1").update(
        annotations={"note": "50% of \"all\" 'x' _"}, conditions=to_json([READY_CONDITION])
    )
    VPC.objects.filter(resource_id="web-2").update(
        annotations={"note": ""}, conditions=to_json([MOVING, OUTDATED])
    )
    VPC.objects.filter(resource_id="db-1").update(delete_time=datetime(2026, 5, 1, tzinfo=UTC))


def found(text: str) -> str:
    rows = VPC.objects.filter(parse_filter(text, FIELDS)).order_by("resource_id")
    return " ".join(row.resource_id for row in rows)


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "db-1 web-1 web-2"),
        ("state = RUNNING", "db-1 web-1"),
        ("state=RUNNING", "db-1 web-1"),
        ('state="RUNNING"', "db-1 web-1"),
        ("state != RUNNING", "web-2"),
        ("NOT state = RUNNING", "web-2"),
        ("-state = RUNNING", "web-2"),
        ("name = web-*", "web-1 web-2"),
        ("name = *-1", "db-1 web-1"),
        ("name = *eb*", "web-1 web-2"),
        ("name != web-*", "db-1"),
        ("name:WEB", "web-1 web-2"),
        ("labels.env = prod", "web-1"),
        ("labels.env != prod", "db-1 web-2"),
        ("NOT labels.env = prod", "db-1 web-2"),
        ("labels:env", "web-1 web-2"),
        ("labels.env:*", "web-1 web-2"),
        ("NOT labels:env", "db-1"),
        ("labels.env:test", "web-2"),
        ("labels.app.example.com/tier = front", "web-1"),
        ("labels.1 = one", "web-2"),
        ('labels."app.example.com/tier" = front', "web-1"),
        ("labels.'env' = pr*", "web-1"),
        ("labels.env = *", "web-1 web-2"),
        ("labels.env = prod*x", ""),
        ('annotations.note = "50% of \\"all\\" \'x\' _"', "web-1"),
        ("annotations.note = *all*", "web-1"),
        ("annotations:note", "web-1 web-2"),
        ("conditions:Ready", "web-1 web-2"),
        ("conditions.Ready:*", "web-1 web-2"),
        ('conditions.Ready = "True"', "web-1"),
        ("conditions.Ready.status = True", "web-1"),
        ("conditions.Ready != True", "db-1 web-2"),
        ("conditions.Ready.reason = Moving", "web-2"),
        ("conditions.Ready.reason:mov", "web-2"),
        ('conditions."Ready".reason = Moving', "web-2"),
        ("conditions.Ready.message = waits*", "web-2"),
        ("conditions.UpToDate = False", "web-2"),
        ("conditions.UpToDate.reason = Moving", ""),
        ("NOT conditions:UpToDate", "db-1 web-1"),
        # case counts, also where the database would not care
        ("name = WEB-*", ""),
        ("name = *EB*", ""),
        ("name = projects/p/vpcs/web-1", "web-1"),
        ("name = projects/p/vpcs/web-*", "web-1 web-2"),
        ("name != projects/p/vpcs/web-1", "db-1 web-2"),
        ("name = projects/other/vpcs/web-1", ""),
        ("uid = 00000000-0000-0000-0000-000000000001", "web-1"),
        ("uid != 00000000000000000000000000000001", "db-1 web-2"),
        ("create_time > 0001-01-01T00:00:00Z", "db-1 web-1 web-2"),
        ("generation < 999999999999999999", "db-1 web-1 web-2"),
        ("generation > 1 AND generation <= 2", "web-2"),
        ("generation != 2", "db-1 web-1"),
        ("create_time > 2020-01-01T00:00:00Z", "db-1 web-1 web-2"),
        ("create_time < 2020-01-01T00:00:00+09:00", ""),
        ("delete_time:*", "db-1"),
        ("NOT delete_time:*", "web-1 web-2"),
        ("NOT delete_time > 2027-01-01T00:00:00Z", "db-1 web-1 web-2"),
        ("state = RUNNING generation = 1", "web-1"),
        # OR binds more tightly than AND (AIP-160)
        ("state = RUNNING AND name = web-1 OR name = web-2", "web-1"),
        ("name = db-1 OR (state = RUNNING AND name = web-1)", "db-1 web-1"),
        ("NOT (state = RUNNING OR name = db-1)", "web-2"),
        ("(name = web-1) OR (name = web-2)", "web-1 web-2"),
    ],
)
def test_a_filter_finds_what_it_says(text: str, expected: str) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "state",
        "state =",
        "= RUNNING",
        "RUNNING",
        "project = x",
        "name.first = x",
        "state > RUNNING",
        "state = RUNNING AND",
        "state = RUNNING OR",
        "(state = RUNNING",
        "state = RUNNING)",
        "NOT",
        "()",
        'state = "RUNNING',
        "labels = prod",
        'labels."a\\"b" = x',
        'labels. "a" = x',
        "labels. = x",
        'labels."" = x',
        "labels:*",
        "labels.a\\b = x",
        "create_time > yesterday",
        "create_time > 2026-01-01",
        "create_time : 2026-01-01T00:00:00Z",
        "generation = one",
        "generation = " + "9" * 30,
        "project__resource_id = x",
        "name = x OR " * 60 + "name = x",
        "(" * 30 + "name = x" + ")" * 30,
        "name = " + "x" * 3000,
        "é = x",
        "name = a\0b",
        "name = a\ud800b",
        "name = projects/p/volumes/web-1",
        "name = other/web-1",
        "name : projects/p/vpcs/web-1",
        "uid = 1",
        "uid : x",
        "create_time < 0001-01-01T00:00:00+09:00",
        "create_time > 9999-12-31T23:59:59-09:00",
        "conditions = x",
        "conditions:*",
        "conditions.Ready < True",
        "conditions.Ready.terminal = true",
        "conditions.Ready.reason.x = y",
        "conditions.'Ready\"'.reason = y",
        "conditions.reason.Ready = y",
    ],
)
def test_a_wrong_filter_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_filter(text, FIELDS)
    assert caught.value.violations[0].field == "filter"


@given(st.text(max_size=60) | st.text(alphabet="ab=:!<>()\"'-. ANDORT\\*", max_size=60))
def test_no_text_makes_the_parser_fail_in_another_way(text: str) -> None:
    try:
        parse_filter(text, FIELDS)
    except InvalidArgument as error:
        assert error.violations[0].field == "filter"


ORDERS = {"create_time": "create_time", "name": "resource_id"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("create_time", "uid")),
        ("name", ("resource_id", "create_time", "uid")),
        ("create_time desc, name asc", ("-create_time", "resource_id", "uid")),
    ],
)
def test_an_order_ends_in_the_default_one(text: str, expected: tuple[str, ...]) -> None:
    assert order_columns(text, ORDERS, ("create_time", "uid")) == expected


@pytest.mark.parametrize("text", ["uid", "name down", "name,", "name, name desc", "-name"])
def test_a_wrong_order_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        order_columns(text, ORDERS, ("create_time", "uid"))
    assert caught.value.violations[0].field == "order_by"
