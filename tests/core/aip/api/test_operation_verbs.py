"""Waiting for operations, cancelling and deleting them, over REST."""

import uuid
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async

from compute.models import Instance
from compute.services.instance_power import start_instance, stop_instance
from compute.services.volumes import delete_volume
from cycloud.core.aip.models import Operation
from cycloud.core.aip.rest import wait
from cycloud.core.clock import now
from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import AuditEntry, Project
from tests.compute.services.calls import call as call_verb
from tests.factories.compute import World, make_world
from tests.factories.iam import ProjectFactory
from tests.factories.rest import RestClient, client_with

pytestmark = pytest.mark.django_db
Wait = Callable[[UUID, float], Coroutine[Any, Any, bool]]


@pytest.fixture
def world() -> World:
    return make_world()


@pytest.fixture
def project(world: World) -> Project:
    return world.project


@pytest.fixture
def editor(project: Project) -> RestClient:
    return client_with(Role.EDITOR, project)


@pytest.fixture
def viewer(project: Project) -> RestClient:
    return client_with(Role.VIEWER, project)


def operation(project: Project, **fields: object) -> Operation:
    return Operation.objects.create(
        **{
            "project": project,
            "verb": "create",
            "target_kind": "Instance",
            "target_uid": uuid.uuid4(),
            "target_name": f"{project.name}/instances/i",
            "generation": 1,
            "create_time": now(),
            **fields,
        }
    )


class TestWait:
    @pytest.fixture
    def waits(self, monkeypatch: pytest.MonkeyPatch) -> list[float]:
        """Let every wait end at once, its operation done; return the seconds that were asked for."""
        asked: list[float] = []

        async def ends(uid: UUID, seconds: float) -> bool:
            asked.append(seconds)
            rows = Operation.objects.filter(uid=uid)
            await sync_to_async(rows.update)(done=True, end_time=now())
            return True

        monkeypatch.setattr(wait, "ends_within", ends)
        return asked

    def test_it_answers_the_operation_when_it_is_done(
        self, viewer: RestClient, project: Project, waits: list[float]
    ) -> None:
        running = operation(project)
        answer = viewer("POST", f"{running.name}:wait", {"timeout": "30s"})
        assert (answer.status, answer.json["done"], waits) == (200, True, [30.0])
        assert answer.headers["X-Request-Id"]

    @pytest.mark.parametrize(
        ("body", "seconds"),
        [
            ({}, 60),
            ({"timeout": "1e3s"}, None),
            ({"timeout": "3000s"}, 60),
            ({"timeout": "0.5s"}, 0.5),
            (None, 60),
        ],
    )
    def test_the_time_is_bounded(
        self,
        viewer: RestClient,
        project: Project,
        waits: list[float],
        body: Any,
        seconds: float | None,
    ) -> None:
        answer = viewer("POST", f"{operation(project).name}:wait", body)
        if seconds is None:
            assert (answer.status, answer.field) == (400, "timeout")
        else:
            assert waits == [seconds]

    def test_one_that_is_done_or_is_not_to_be_waited_for_answers_at_once(
        self, viewer: RestClient, project: Project, waits: list[float]
    ) -> None:
        done = viewer("POST", f"{operation(project, done=True).name}:wait")
        short = viewer("POST", f"{operation(project).name}:wait", {"timeout": "0s"})
        assert (done.json["done"], short.json["done"], waits) == (True, False, [])

    def test_at_the_timeout_it_answers_what_there_is(
        self, viewer: RestClient, project: Project, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def ends(uid: UUID, seconds: float) -> bool:
            return False

        monkeypatch.setattr(wait, "ends_within", ends)
        answer = viewer("POST", f"{operation(project).name}:wait", {"timeout": "1s"})
        assert (answer.status, answer.json["done"]) == (200, False)

    @pytest.mark.parametrize("timeout", ["5", "5m", "-5s", "", "s", 5, ["5s"], {"seconds": 5}])
    def test_a_wrong_timeout_is_named(
        self, viewer: RestClient, project: Project, waits: list[float], timeout: object
    ) -> None:
        answer = viewer("POST", f"{operation(project).name}:wait", {"timeout": timeout})
        if timeout == "":
            assert answer.status == 200
        else:
            assert (answer.status, answer.field) == (400, "timeout")

    def test_who_may_not_see_it_cannot_wait_for_it(
        self, project: Project, waits: list[float]
    ) -> None:
        running = operation(project)
        stranger = client_with(None, project)
        assert stranger("POST", f"{running.name}:wait").reason == "PROJECT_NOT_FOUND"
        assert RestClient()("POST", f"{running.name}:wait").status == 401
        assert waits == []

    def test_only_post_waits(self, viewer: RestClient, project: Project) -> None:
        answer = viewer("GET", f"{operation(project).name}:wait")
        assert (answer.status, answer.reason) == (405, "METHOD_NOT_ALLOWED")


class TestDelete:
    def test_a_finished_one_is_gone_for_users(self, editor: RestClient, project: Project) -> None:
        done = operation(project, done=True, end_time=now())
        assert editor("DELETE", done.name).json == {}
        assert editor("GET", done.name).status == 404
        assert editor("GET", f"{project.name}/operations").json["operations"] == []
        assert editor("DELETE", done.name).status == 404
        entry = AuditEntry.objects.filter(method="DeleteOperation").earliest("pk")
        assert entry.resource_name == done.name

    def test_one_that_goes_on_is_refused(self, editor: RestClient, project: Project) -> None:
        running = operation(project)
        answer = editor("DELETE", running.name)
        assert (answer.status, answer.reason) == (400, "OPERATION_NOT_DONE")
        assert editor("GET", running.name).status == 200

    def test_its_request_id_still_gives_it(self, editor: RestClient, project: Project) -> None:
        path = f"{project.name}/vpcs?vpc_id=v9&request_id={uuid.uuid4()}"
        first = editor("POST", path, {}).json["name"]
        assert editor("DELETE", first).status == 200
        again = editor("POST", path, {})
        assert (again.status, again.json["name"]) == (200, first)

    def test_validate_only_deletes_nothing(self, editor: RestClient, project: Project) -> None:
        done = operation(project, done=True, end_time=now())
        assert editor("DELETE", f"{done.name}?validate_only=true").status == 200
        assert editor("GET", done.name).status == 200

    def test_a_viewer_may_not(self, viewer: RestClient, project: Project) -> None:
        done = operation(project, done=True, end_time=now())
        assert viewer("DELETE", done.name).reason == "PERMISSION_DENIED"
        assert viewer("GET", done.name).status == 200


class TestCancel:
    @pytest.fixture
    def starting(self, world: World) -> tuple[Instance, Operation]:
        instance = world.instance(desired_state="STOPPED")
        return instance, call_verb(world, start_instance, instance).operation

    def test_a_start_is_turned_into_a_stop(
        self, editor: RestClient, starting: tuple[Instance, Operation]
    ) -> None:
        instance, start = starting
        assert editor("POST", f"{start.name}:cancel", {}).json == {}
        shown = editor("GET", start.name).json
        assert (shown["done"], shown["error"]["code"]) == (True, 1)
        assert shown["error"]["details"][0]["reason"] == "CANCELLED"
        instance.refresh_from_db()
        assert (instance.desired_state, instance.generation) == ("STOPPED", 3)
        stop = Operation.objects.get(target_uid=instance.uid, done=False)
        assert (stop.verb, stop.generation) == ("stop", 3)
        assert AuditEntry.objects.filter(method="CancelOperation").count() == 1

    def test_again_or_when_it_is_done_it_changes_nothing(
        self, editor: RestClient, starting: tuple[Instance, Operation]
    ) -> None:
        instance, start = starting
        for _ in range(2):
            assert editor("POST", f"{start.name}:cancel").status == 200
        instance.refresh_from_db()
        assert instance.generation == 3

    def test_validate_only_changes_nothing(
        self, editor: RestClient, starting: tuple[Instance, Operation]
    ) -> None:
        instance, start = starting
        assert editor("POST", f"{start.name}:cancel", {"validate_only": True}).status == 200
        start.refresh_from_db()
        instance.refresh_from_db()
        assert (start.done, instance.desired_state) == (False, "RUNNING")

    def test_what_cannot_be_turned_back_is_refused(self, editor: RestClient, world: World) -> None:
        stop = call_verb(world, stop_instance, world.instance()).operation
        volume = world.volume()
        delete = delete_volume(
            actor=world.actor(), project_id=world.project.resource_id, volume_id=volume.resource_id
        ).operation
        for refused in (stop, delete, operation(world.project, target_kind="Unknown")):
            answer = editor("POST", f"{refused.name}:cancel")
            assert (answer.status, answer.reason) == (400, "OPERATION_NOT_CANCELLABLE")
            refused.refresh_from_db()
            assert not refused.done

    def test_a_viewer_may_not(
        self, viewer: RestClient, starting: tuple[Instance, Operation]
    ) -> None:
        _, start = starting
        assert viewer("POST", f"{start.name}:cancel").reason == "PERMISSION_DENIED"

    def test_it_takes_no_other_field(
        self, editor: RestClient, starting: tuple[Instance, Operation]
    ) -> None:
        _, start = starting
        assert editor("POST", f"{start.name}:cancel", {"timeout": "1s"}).field == "timeout"


def test_an_operation_of_another_project_is_hidden(editor: RestClient) -> None:
    foreign = operation(ProjectFactory.create(resource_id="other"))
    for verb in ("wait", "cancel"):
        assert editor("POST", f"{foreign.name}:{verb}").reason == "PROJECT_NOT_FOUND"
