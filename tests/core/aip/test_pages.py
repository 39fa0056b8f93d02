from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.core import signing

from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.pages import page_of, page_size_of
from networking.models import VPC
from tests.factories.iam import ProjectFactory
from tests.factories.networking import VpcFactory

ORDER = ("create_time", "uid")


@pytest.mark.parametrize(("asked", "size"), [(0, 50), (1, 1), (1000, 1000), (5000, 1000)])
def test_a_page_has_a_bounded_size(asked: int, size: int) -> None:
    assert page_size_of(asked) == size


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(InvalidArgument) as caught:
        page_size_of(-1)
    assert caught.value.violations[0].field == "page_size"


def pages(order: tuple[str, ...] = ORDER, scope: str = "p", size: int = 3) -> Iterator[list[str]]:
    token = ""
    while True:
        page = page_of(VPC.objects.all(), order=order, scope=[scope], size=size, token=token)
        yield [row.resource_id for row in page.items]
        token = page.next_page_token
        if not token:
            return


ORDERS = [
    ORDER,
    ("-create_time", "-uid"),
    ("display_name", "-resource_id", "uid"),
    ("uid",),
    ("purge_time", "uid"),
    ("-purge_time", "-delete_time", "uid"),
    ("display_name", "-delete_time", "purge_time", "uid"),
]
DAY = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.django_db
@pytest.mark.parametrize("order", ORDERS)
def test_rows_that_come_and_go_leave_no_gap_and_no_double(order: tuple[str, ...]) -> None:
    project = ProjectFactory.create()
    VpcFactory.create_batch(10, project=project, display_name="same")
    for number, row in enumerate(VPC.objects.all()[:6]):
        row.delete_time = DAY if number % 3 else None
        row.purge_time = DAY + timedelta(days=number // 2)
        row.save()
    before = set(VPC.objects.values_list("resource_id", flat=True))
    seen: list[str] = []
    for number, page in enumerate(pages(order)):
        seen += page
        # one row is added at each step, and one that was shown goes
        VpcFactory.create(project=project, resource_id=f"new-{number}", display_name="same")
        VPC.objects.filter(resource_id=page[0]).delete()
        if number > 20:
            break
    assert len(seen) == len(set(seen))
    assert before <= set(seen)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (("purge_time", "resource_id"), "early late none-1 none-2"),
        (("-purge_time", "resource_id"), "none-1 none-2 late early"),
        (("-purge_time", "-resource_id"), "none-2 none-1 late early"),
        (("display_name", "-purge_time", "resource_id"), "none-2 early none-1 late"),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_row_without_the_value_is_behind_all_others(
    order: tuple[str, ...], expected: str, size: int
) -> None:
    project = ProjectFactory.create()
    for resource_id, display_name, purge_time in (
        ("late", "b", DAY + timedelta(days=1)),
        ("none-2", "a", None),
        ("early", "a", DAY),
        ("none-1", "b", None),
    ):
        VpcFactory.create(
            project=project,
            resource_id=resource_id,
            display_name=display_name,
            purge_time=purge_time,
        )
    assert " ".join(name for page in pages(order, size=size) for name in page) == expected


@pytest.mark.django_db
def test_the_last_full_page_has_no_token() -> None:
    VpcFactory.create_batch(6, project=ProjectFactory.create())
    assert [len(page) for page in pages()] == [3, 3]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change", ["scope", "order", "cut", "garbage", "surrogate", "NUL", "other salt"]
)
def test_a_token_of_another_list_is_refused(change: str) -> None:
    VpcFactory.create_batch(6, project=ProjectFactory.create())
    token = page_of(VPC.objects.all(), order=ORDER, scope=["p"], size=3, token="").next_page_token
    wrong = {
        "cut": token[:-1],
        "garbage": "x",
        "surrogate": token + "\ud800",
        "NUL": "\0",
        "other salt": signing.dumps(["0", 1, 2], salt="other"),
    }.get(change, token)
    with pytest.raises(InvalidArgument) as caught:
        page_of(
            VPC.objects.all(),
            order=("-create_time", "uid") if change == "order" else ORDER,
            scope=["q"] if change == "scope" else ["p"],
            size=3,
            token=wrong,
        )
    assert caught.value.violations[0].field == "page_token"
