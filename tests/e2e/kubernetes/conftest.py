"""Fixtures of the Kubernetes suites. Each module has a portal and clouds of its own; the API server is shared."""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import setup_databases, teardown_databases
from pytest_django import DjangoDbBlocker

from cycloud.kubernetes.client import forget_client
from tests.e2e.kubernetes.harness.api import Api
from tests.e2e.kubernetes.harness.install import manage
from tests.e2e.kubernetes.harness.server import ApiServer, missing
from tests.e2e.kubernetes.harness.world import World, simulated_world

# where the suites' own servers are, beside the one that make kube-up starts
HOST = "127.0.0.31"
# of one test with its fixtures
TEST_SECONDS = 240
_folder = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Have a database that threads can share: a file, where no PostgreSQL is named."""
    test = settings.DATABASES["default"].setdefault("TEST", {})
    if "sqlite3" in settings.DATABASES["default"]["ENGINE"] and not test.get("NAME"):
        config.stash[_folder] = Path(tempfile.mkdtemp(prefix="cycloud-e2e-"))
        test["NAME"] = str(config.stash[_folder] / "test.sqlite3")

    # the observer's own requests: thousands of lines in a failure's report
    logging.getLogger("httpx").setLevel(logging.WARNING)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _folder in config.stash:
        shutil.rmtree(config.stash[_folder], ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TEST_SECONDS))


def _need_programs() -> None:
    """Skip where no API server can be started; a failure where one is asked for."""
    reason = missing()
    if reason and (os.environ.get("CI") or os.environ.get("CYCLOUD_REAL_KUBERNETES")):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def server() -> Iterator[ApiServer]:
    """A new and empty API server for all suites but those of its faults."""
    _need_programs()
    with ApiServer.on(HOST, "main").running() as server:
        yield server


@pytest.fixture(scope="module")
def faulty_server() -> Iterator[ApiServer]:
    """One that may be stopped and wiped."""
    _need_programs()
    with ApiServer.on(HOST, "faults").running() as server:
        yield server


@pytest.fixture(scope="session")
def test_database(
    django_db_setup: None, django_test_environment: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The test database: pytest-django's, which it makes only where a test has its marks, or else one made here."""
    with django_db_blocker.unblock():
        if connection.settings_dict["NAME"] == connection.creation._get_test_db_name():  # type: ignore[attr-defined]
            yield
            return
        made = setup_databases(verbosity=0, interactive=False, aliases={"default"})  # type: ignore[arg-type]
        yield
        teardown_databases(made, verbosity=0)


@pytest.fixture(scope="module")
def database(test_database: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The database with real commits, for all threads; who writes to it empties it."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture(scope="module")
def world(server: ApiServer, database: None) -> Iterator[World]:
    """A portal that works over two simulated clouds."""
    with simulated_world(server) as world:
        yield world


@pytest.fixture(scope="module")
def asked_world(server: ApiServer, database: None) -> Iterator[World]:
    """The same with its webhook: what would be refused is refused when it is applied."""
    with simulated_world(server, webhook=True) as world:
        yield world


@pytest.fixture(scope="module")
def empty_server() -> Iterator[ApiServer]:
    """One of the module's own, on which nothing is installed when it begins."""
    _need_programs()
    with ApiServer.on(HOST, "install").running() as server:
        yield server


@pytest.fixture
def configured(empty_server: ApiServer, settings: Any) -> Iterator[ApiServer]:
    """The settings name that server, as an administrator, and no webhook."""
    settings.CYCLOUD_KUBERNETES_KUBECONFIG = str(empty_server.kubeconfig())
    settings.CYCLOUD_KUBERNETES_WEBHOOK_URL = ""
    forget_client()
    yield empty_server
    forget_client()


@pytest.fixture
def installed(configured: ApiServer) -> ApiServer:
    """Everything is installed there."""
    manage("install")
    return configured


@pytest.fixture
def admin_api(installed: ApiServer) -> Iterator[Api]:
    """An administrator there, and the namespaces "team" and "other"."""
    api = Api(installed)
    for name in ("team", "other"):
        api.send("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    yield api
    api.close()
