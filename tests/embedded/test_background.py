import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery, _state

from cycloud.embedded.background import Beat, Worker

SECONDS = 20


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Celery]:
    queue, control = tmp_path / "queue", tmp_path / "control"
    for folder in (queue, control):
        folder.mkdir()
    # the embedded portal's own transport: what is sent is a file until it is taken
    app = Celery("embedded-test", broker="filesystem://localhost", set_as_current=False)
    # as in the embedded settings: a reader of kombu's own may find half a message
    app.conf.broker_transport = "cycloud.embedded.transport:Transport"
    app.conf.broker_transport_options = {
        "data_folder_in": str(queue),
        "data_folder_out": str(queue),
        "control_folder": str(control),
        "polling_interval": 0.05,
    }
    before = _state.default_app  # type: ignore[attr-defined]
    # the threads of a pool look up their tasks in the process's default application
    app.set_default()
    yield app
    _state.set_default_app(before)
    app.close()


def test_the_worker_takes_tasks_of_its_queues_and_ends_the_one_under_way_before_it_stops(
    app: Celery,
) -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    @app.task(name="slow", ignore_result=True)
    def slow() -> None:
        begun.set()
        may_end.wait(SECONDS)
        ended.set()

    worker = Worker(app, queues=["cycloud"], concurrency=2)
    worker.start()
    app.send_task("slow", queue="cycloud")
    assert begun.wait(SECONDS)
    stopping = threading.Thread(target=worker.stop)
    stopping.start()
    may_end.set()
    stopping.join(SECONDS)
    assert ended.is_set()
    assert not worker.running


def test_a_worker_can_be_started_after_another_one_was_stopped(app: Celery) -> None:
    for _ in range(2):
        worker = Worker(app, queues=["cycloud"], concurrency=1)
        worker.start()
        assert worker.stop()


def test_beat_sends_the_periodic_tasks_until_it_is_stopped(app: Celery) -> None:
    swept = threading.Event()

    @app.task(name="sweep", ignore_result=True)
    def sweep() -> None:
        swept.set()

    app.conf.task_default_queue = "cycloud"
    app.conf.beat_schedule = {"sweep": {"task": "sweep", "schedule": 0.2}}
    worker, beat = Worker(app, queues=["cycloud"], concurrency=1), Beat(app)
    worker.start()
    beat.start()
    try:
        assert swept.wait(SECONDS)
    finally:
        beat.stop()
        worker.stop()
    assert not worker.running


def test_two_workers_take_each_its_own_queue(app: Celery) -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    @app.task(name="stuck", ignore_result=True)
    def stuck() -> None:
        begun.set()
        may_end.wait(SECONDS)

    @app.task(name="quick", ignore_result=True)
    def quick() -> None:
        ended.set()

    first = Worker(app, queues=["cycloud"], concurrency=1)
    second = Worker(app, queues=["kubernetes"], concurrency=1, name="kubernetes")
    first.start()
    second.start()
    try:
        app.send_task("stuck", queue="kubernetes")
        assert begun.wait(SECONDS)
        app.send_task("quick", queue="cycloud")
        assert ended.wait(SECONDS)
    finally:
        may_end.set()
        assert second.stop()
        assert first.stop()
    assert not first.running
    assert not second.running
