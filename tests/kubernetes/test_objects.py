from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cycloud.core.conditions import Condition, Status
from cycloud.kubernetes.kinds import ApiKind, Kind, Manifest, Owner
from cycloud.kubernetes.objects import (
    ACCEPTED,
    FINALIZER,
    agrees,
    declaration,
    foreign_writers,
    marks_of,
    status_of,
)
from cycloud.kubernetes.places import Place
from tests.support.kubernetes.widgets import WIDGET, Widgets, ready

KIND: Kind = Widgets()
PLACE = Place(WIDGET, "team", "w")
UID = UUID(int=7)
TIME = datetime(2026, 11, 30, 12, tzinfo=UTC)
ROW = Manifest(UID, {"size": 1}, conditions=(ready(),), labels={"env": "prod"})


def stored(body: dict[str, Any], manager: str = "cycloud", **metadata: Any) -> dict[str, Any]:
    """Return what a server has after an apply of ``body``."""
    labels = body["metadata"].get("labels", {})
    owned: dict[str, Any] = {f"f:{key}": {} for key in labels}
    fields: dict[str, Any] = {"f:metadata": {"f:labels": owned}, "f:spec": {}}
    entry = {"manager": manager, "operation": "Apply", "fieldsV1": fields}
    own = {"uid": "o-1", "generation": 3, "resourceVersion": "9", "managedFields": [entry]}
    return {**body, "metadata": {**body["metadata"], **own, **metadata}}


def written(manifest: Manifest) -> dict[str, Any]:
    """Return the object after a pass."""
    found = stored(declaration(KIND, PLACE, manifest, None, None))
    return {**found, "status": status_of(manifest, found, None, TIME)}


def test_an_object_as_a_pass_leaves_it_agrees() -> None:
    assert agrees(KIND, ROW, written(ROW), TIME)


@pytest.mark.parametrize(
    "change",
    [
        {"spec": {"size": 2}},
        {"labels": {"env": "test"}},
        {"labels": {}},
        {"annotations": {"note": "x"}},
        {"conditions": (ready("Other"),)},
        {"status": {"state": "Running"}},
        {"settled": False},
        {"uid": UUID(int=8)},
        {"owner": Owner("Widget", "other")},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_differs_does_not_agree(change: dict[str, Any]) -> None:
    assert not agrees(KIND, replace(ROW, **change), written(ROW), TIME)


def test_a_label_of_somebody_else_is_theirs() -> None:
    found = written(ROW)
    found["metadata"]["labels"] = {**found["metadata"]["labels"], "argocd": "app"}

    assert agrees(KIND, ROW, found, TIME)


def test_conditions_agree_in_any_order() -> None:
    two = replace(ROW, conditions=(ready(), Condition("UpToDate", Status.TRUE, "Applied")))
    found = written(two)
    found["status"]["conditions"].reverse()

    assert agrees(KIND, two, found, TIME)


def test_what_is_on_neither_side_agrees_and_what_is_on_one_does_not() -> None:
    assert agrees(KIND, None, None, TIME)
    assert not agrees(KIND, ROW, None, TIME)
    assert not agrees(KIND, None, written(ROW), TIME)


def test_a_managed_object_that_went_before_its_resource_agrees() -> None:
    going = replace(ROW, deleting=True, managed_by="namespaces/team/widgets/w")

    assert agrees(KIND, going, None, TIME)


def test_an_object_that_is_being_deleted_never_agrees() -> None:
    found = written(ROW)
    found["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z"

    assert not agrees(KIND, ROW, found, TIME)


def managed(accepted: Condition | None = ACCEPTED) -> tuple[Manifest, dict[str, Any]]:
    row = replace(ROW, labels={}, managed_by="namespaces/team/widgets/w")
    body = {**marks_of(KIND, PLACE, None), "spec": {"size": 1}}
    found = stored(body, manager="cycloud-meta")
    return row, {**found, "status": status_of(row, found, accepted, TIME)}


def test_a_managed_object_agrees_when_it_is_marked_and_accepted() -> None:
    row, found = managed()

    assert agrees(KIND, row, found, TIME)


def test_a_managed_object_whose_spec_we_still_own_does_not_agree() -> None:
    row, found = managed()
    found["metadata"]["managedFields"][0]["manager"] = "cycloud"

    assert not agrees(KIND, row, found, TIME)


def test_a_managed_object_without_our_finalizer_does_not_agree() -> None:
    row, found = managed()
    found["metadata"]["finalizers"].remove(FINALIZER)

    assert not agrees(KIND, row, found, TIME)


def test_a_refused_object_never_agrees() -> None:
    row, found = managed(Condition("Accepted", Status.FALSE, "InvalidArgument", "No."))

    assert not agrees(KIND, row, found, TIME)


def test_our_own_managers_are_not_foreign() -> None:
    found = written(ROW)
    found["metadata"]["managedFields"].append(
        {"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:spec": {"f:size": {}}}}
    )

    assert foreign_writers(found, "spec") == ["kubectl"]
    assert foreign_writers(found, "status") == []


def test_keys_that_the_server_would_refuse_are_left_out() -> None:
    row = replace(ROW, labels={"a..b/x": "1", "cycloud.jp/managed-by": "me", "ok.io/x": "1"})

    labels = declaration(KIND, PLACE, row, None, None)["metadata"]["labels"]

    assert labels == {"ok.io/x": "1", "cycloud.jp/managed-by": "api"}


def test_fields_without_a_value_are_left_out_at_every_depth() -> None:
    row = replace(ROW, spec={"a": None, "b": [{"c": None, "d": 1}], "e": {"f": None}})

    assert declaration(KIND, PLACE, row, None, None)["spec"] == {"b": [{"d": 1}], "e": {}}


def test_the_time_of_acceptance_stays_while_it_is_accepted() -> None:
    row, found = managed()
    later = datetime(2026, 12, 1, tzinfo=UTC)

    again = status_of(row, found, ACCEPTED, later)

    assert again["conditions"][-1]["lastTransitionTime"] == "2026-11-30T12:00:00Z"


def test_what_is_outside_namespaces_has_no_namespace() -> None:
    place = Place(ApiKind("g", "K", "ks", namespaced=False), "", "k")

    assert "namespace" not in declaration(KIND, place, ROW, None, None)["metadata"]
    assert place.path == "ks/k"
    assert place.event_namespace == "default"


_TEXTS = st.dictionaries(
    st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8})?", fullmatch=True),
    st.text("abc", max_size=5),
    max_size=4,
)


@given(
    size=st.integers(0, 99),
    labels=_TEXTS,
    annotations=_TEXTS,
    settled=st.booleans(),
    message=st.text(max_size=20),
)
def test_every_row_agrees_with_what_it_is_written_as(
    size: int, labels: dict[str, str], annotations: dict[str, str], settled: bool, message: str
) -> None:
    row = replace(
        ROW,
        spec={"size": size},
        labels=labels,
        annotations=annotations,
        settled=settled,
        conditions=(ready(message=message),),
    )

    assert agrees(KIND, row, written(row), TIME)
