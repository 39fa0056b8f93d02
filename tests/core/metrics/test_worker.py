"""A worker's own port, counters shared by several processes, and the level of a worker's log."""

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import requests
from celery.signals import worker_ready

from cycloud.celery import app
from cycloud.core.metrics.exposition import start_metrics_server
from cycloud.core.metrics.instruments import count_lost_lease
from tests.e2e.harness.services import free_port


def run(code: str, **env: str) -> str:
    """Run Python in a process of its own, with Django set up."""
    setup = "import django; django.setup()\n"
    result = subprocess.run(
        [sys.executable, "-c", setup + code],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_a_worker_serves_its_counters_once_it_is_ready(settings: Any) -> None:
    settings.CYCLOUD_METRICS_PORT = free_port()
    count_lost_lease("served-by-a-worker")
    # as a worker does when it starts
    app.loader.import_default_modules()
    worker_ready.send(sender=None)
    answer = requests.get(f"http://127.0.0.1:{settings.CYCLOUD_METRICS_PORT}/metrics", timeout=10)
    assert 'cycloud_leases_lost_total{controller="served-by-a-worker"} 1.0' in answer.text
    # a worker does not ask the database for what the portal tells
    assert "cycloud_queue_depth" not in answer.text


def test_no_port_is_opened_unless_told_so(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings.CYCLOUD_METRICS_PORT == 0
    monkeypatch.setattr(
        "cycloud.core.metrics.exposition.start_http_server", lambda *a, **k: pytest.fail("opened")
    )
    start_metrics_server()


def test_a_port_in_use_is_named_and_the_worker_goes_on(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.CYCLOUD_METRICS_PORT = free_port()
    start_metrics_server()
    with caplog.at_level(logging.ERROR):
        start_metrics_server()
    assert f"port {settings.CYCLOUD_METRICS_PORT} cannot be listened on" in caplog.text
    assert "CYCLOUD_METRICS_PORT of its own" in caplog.text


def test_processes_that_share_a_folder_are_counted_together(tmp_path: Path) -> None:
    folder = str(tmp_path / "made" / "by-the-first")
    count = (
        "from cycloud.core.metrics.instruments import record_pass\n"
        "record_pass('volume', 'Done', 0.1)"
    )
    for _ in range(2):
        run(count, PROMETHEUS_MULTIPROC_DIR=folder)
    show = (
        "from prometheus_client import generate_latest\n"
        "from cycloud.core.metrics.exposition import process_counters\n"
        "print(generate_latest(process_counters()).decode())"
    )
    text = run(show, PROMETHEUS_MULTIPROC_DIR=folder)
    name = "cycloud_reconcile_duration_seconds_count"
    assert f'{name}{{controller="volume",outcome="Done"}} 2.0' in text


@pytest.mark.parametrize("level", ["DEBUG", "ERROR"])
def test_a_worker_logs_at_the_level_of_the_settings_whatever_celery_is_told(level: str) -> None:
    code = (
        "import logging\n"
        "from cycloud.celery import app\n"
        "app.log.setup_logging_subsystem(loglevel='WARNING')\n"
        "root = logging.getLogger()\n"
        "print(logging.getLevelName(root.level), [type(h).__name__ for h in root.handlers])"
    )
    assert run(code, CYCLOUD_LOG_LEVEL=level).split("\n")[0] == f"{level} ['StreamHandler']"
