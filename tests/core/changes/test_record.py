"""What a transaction leaves in the feed."""

from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from cycloud.core.changes.models import Change, FeedPosition
from cycloud.core.changes.record import collecting, record_added, record_changed, record_gone
from cycloud.core.iam.models import Project
from cycloud.core.reconcile.queue import enqueue, in_order
from networking.models import VPC
from tests.core.changes.conftest import Write
from tests.factories.networking import VpcFactory


def rows() -> list[tuple[int, str, str]]:
    changes = Change.objects.order_by("version")
    return [(change.version, change.type, change.body["display_name"]) for change in changes]


def changed(vpc: VPC) -> None:
    record_changed(kind=vpc.kind, uid=vpc.uid, project_id=vpc.project_id)


def test_each_transaction_gets_the_next_version(write: Write) -> None:
    write("a", "one")
    write("a", "two")
    assert rows() == [(1, "ADDED", "one"), (2, "MODIFIED", "two")]


def test_a_row_shows_the_resource_as_a_list_would(write: Write, project: Project) -> None:
    vpc = write("a", "one")
    change = Change.objects.get()
    assert (change.kind, change.uid, change.project_id) == ("Vpc", vpc.uid, project.pk)
    assert change.name == change.body["name"] == "projects/p/vpcs/a"
    assert change.body["etag"] == vpc.etag


def test_one_transaction_records_a_resource_once_as_it_is_at_the_end(
    write: Write, project: Project
) -> None:
    vpc = write("a")
    with transaction.atomic(), in_order():
        changed(vpc)
        vpc.display_name = "last"
        vpc.save()
        changed(vpc)
    assert rows()[1:] == [(2, "MODIFIED", "last")]


def test_a_removed_resource_is_recorded_as_it_was_last(write: Write) -> None:
    vpc = write("a", "one")
    with transaction.atomic(), in_order():
        record_gone(kind=vpc.kind, uid=vpc.uid, project_id=vpc.project_id)
        vpc.delete()
    assert rows()[1:] == [(2, "DELETED", "one")]


def test_a_resource_that_vanished_without_notice_is_recorded_as_the_feed_knew_it(
    write: Write,
) -> None:
    vpc = write("a", "one")
    with transaction.atomic(), in_order():
        changed(vpc)
        VPC.objects.all().delete()
    assert rows()[1:] == [(2, "DELETED", "one")]


def test_what_comes_and_goes_in_one_transaction_was_never_there(project: Project) -> None:
    with transaction.atomic(), in_order():
        vpc: VPC = VpcFactory.create(project=project)
        record_added(kind=vpc.kind, uid=vpc.uid, project_id=vpc.project_id)
        record_gone(kind=vpc.kind, uid=vpc.uid, project_id=vpc.project_id)
        vpc.delete()
    assert rows() == []
    assert not FeedPosition.objects.exists()


def test_nothing_is_recorded_of_a_transaction_that_fails(write: Write, project: Project) -> None:
    vpc = write("a", "one")
    with pytest.raises(RuntimeError), transaction.atomic(), in_order():
        changed(vpc)
        raise RuntimeError
    write("a", "two")
    assert [version for version, _, _ in rows()] == [1, 2]


def test_outside_a_frame_a_change_is_recorded_at_once(project: Project) -> None:
    vpc: VPC = VpcFactory.create(project=project, display_name="one")
    changed(vpc)
    assert rows() == [(1, "MODIFIED", "one")]


def test_a_kind_that_is_not_watched_is_a_mistake(project: Project) -> None:
    with pytest.raises(KeyError):
        record_changed(kind="Nothing", uid=uuid4(), project_id=project.pk)


def test_a_transaction_that_changed_nothing_asks_the_database_nothing(
    project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with transaction.atomic(), django_assert_num_queries(0):
        with collecting() as changes:
            pass
        changes.write()


def test_many_changes_cost_as_many_queries_as_one(project: Project) -> None:
    counts = []
    for number in (1, 20):
        vpcs = VpcFactory.create_batch(number, project=project)
        changed(vpcs[0])
        with (
            transaction.atomic(),
            CaptureQueriesContext(
                connection,
            ) as captured,
            in_order(),
        ):
            for vpc in vpcs:
                changed(vpc)
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_the_feed_is_locked_behind_the_rows_of_the_queue(write: Write, project: Project) -> None:
    vpc = write("a")
    with (
        transaction.atomic(),
        CaptureQueriesContext(connection) as captured,
        in_order(),
    ):
        changed(vpc)
        enqueue("probe", "key")
    tables = [
        table
        for query in captured
        for table in ("reconcile_duerow", "changes_feedposition")
        if table in query["sql"]
    ]
    assert tables.index("changes_feedposition") > max(
        index for index, table in enumerate(tables) if table == "reconcile_duerow"
    )
