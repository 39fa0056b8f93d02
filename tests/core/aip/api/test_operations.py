import uuid
from datetime import timedelta

import pytest

from cycloud.core.aip.models import Operation
from cycloud.core.aip.reasons import CONDITION_REASONS
from cycloud.core.aip.representation import time_text
from cycloud.core.clock import now
from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import Project
from tests.factories.iam import ProjectFactory
from tests.factories.networking import VpcFactory
from tests.factories.rest import RestClient, client_with

pytestmark = pytest.mark.django_db
TYPES = "type.googleapis.com/"


@pytest.fixture
def project() -> Project:
    project: Project = ProjectFactory.create(resource_id="p")
    return project


@pytest.fixture
def call(project: Project) -> RestClient:
    return client_with(Role.VIEWER, project)


def operation(project: Project, **fields: object) -> Operation:
    return Operation.objects.create(
        **{
            "project": project,
            "verb": "start",
            "target_kind": "Instance",
            "target_uid": uuid.uuid4(),
            "target_name": "projects/p/instances/i",
            "generation": 1,
            "create_time": now(),
            **fields,
        }
    )


def test_an_operation_that_runs_has_progress_and_no_result(
    call: RestClient, project: Project
) -> None:
    running = operation(
        project, progress_message="Detaching volumes", progress_step=3, progress_total=6
    )
    shown = call("GET", running.name).json
    assert shown["done"] is False
    assert shown["metadata"] == {
        "@type": f"{TYPES}cycloud.common.v1.OperationMetadata",
        "verb": "start",
        "target": "projects/p/instances/i",
        "create_time": time_text(running.create_time),
        "end_time": None,
        "progress_message": "Detaching volumes",
        "progress_step": 3,
        "progress_total": 6,
    }
    assert not {"response", "error"} & set(shown)


def test_an_operation_that_failed_has_a_status(call: RestClient, project: Project) -> None:
    error = {"code": 9, "status": "FAILED_PRECONDITION", "message": "m", "reason": "MoveBlocked"}
    failed = operation(project, done=True, end_time=now(), error=error)
    shown = call("GET", failed.name).json
    assert (shown["error"]["code"], shown["error"]["message"]) == (9, "m")
    info = shown["error"]["details"][0]
    assert (info["reason"], info["metadata"]["condition_reason"]) == ("MOVE_BLOCKED", "MoveBlocked")
    assert "response" not in shown


def test_a_failed_operation_reads_in_the_callers_language(
    call: RestClient, project: Project
) -> None:
    error = {"code": 9, "message": "It is blocked.", "reason": "MoveBlocked"}
    failed = operation(project, done=True, end_time=now(), error=error)

    def texts(language: str) -> tuple[str, str, str]:
        shown = call("GET", failed.name, headers={"Accept-Language": language}).json["error"]
        local = shown["details"][-1]
        return shown["message"], local["locale"], local["message"]

    assert texts("ja") == ("It is blocked.", "ja", CONDITION_REASONS["MoveBlocked"].japanese)
    assert texts("en") == ("It is blocked.", "en", "It is blocked.")


def test_an_operation_that_ended_well_shows_the_resource(
    call: RestClient, project: Project
) -> None:
    vpc = VpcFactory.create(project=project, resource_id="v")
    done = operation(project, done=True, target_kind="Vpc", target_uid=vpc.uid)
    gone = operation(project, done=True, target_kind="Vpc")
    strange = operation(project, done=True, target_kind="Unknown")
    shown = call("GET", done.name).json["response"]
    assert (shown["@type"], shown["name"]) == (f"{TYPES}cycloud.networking.v1.VPC", vpc.name)
    empty = {"@type": f"{TYPES}google.protobuf.Empty"}
    assert call("GET", gone.name).json["response"] == empty
    assert call("GET", strange.name).json["response"] == empty


def test_operations_are_listed_newest_first_and_filtered(
    call: RestClient, project: Project
) -> None:
    kinds: list[dict[str, object]] = [{"done": True}, {"verb": "stop"}, {}]
    for minutes, fields in enumerate(kinds):
        operation(project, create_time=now() + timedelta(minutes=minutes), **fields)
    operation(ProjectFactory.create())

    def verbs(query: str) -> list[tuple[str, bool]]:
        items = call("GET", f"projects/p/operations?{query}").json["operations"]
        return [(item["metadata"]["verb"], item["done"]) for item in items]

    assert verbs("") == [("start", False), ("stop", False), ("start", True)]
    assert verbs("filter=done%3Dtrue") == [("start", True)]
    assert verbs("filter=NOT%20done%3Dtrue%20verb%3Dstop") == [("stop", False)]
    assert verbs("filter=target%3D*%2Fi&page_size=1") == [("start", False)]


@pytest.mark.parametrize("id_", ["nothing", "0f234ddf-fd06-4e64-89cd-384c66694000", "1"])
def test_an_unknown_operation_is_404(call: RestClient, id_: str) -> None:
    assert call("GET", f"projects/p/operations/{id_}").status == 404


def test_an_operation_of_another_project_is_404(call: RestClient) -> None:
    foreign = operation(ProjectFactory.create())
    assert call("GET", f"projects/p/operations/{foreign.uid}").status == 404
