"""Fixtures of the end-to-end suites: two real clouds and one portal for the whole session."""

import json
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.harness import clouds as real
from tests.e2e.harness import testbed
from tests.e2e.harness.machine import Machine
from tests.e2e.harness.portal import Portal
from tests.e2e.harness.rest import Rest
from tests.e2e.harness.seed import PARENT, SUBNET, CloudFacts, Facts
from tests.e2e.harness.services import broker_vhost, postgres_server

# of the volume type whose data is purged soon; long enough to undelete on a slow machine
SHORT_RETENTION_SECONDS = 40
# of one test with its fixtures: real clouds take their time
TEST_SECONDS = 400
# short, so that the suites need not wait for what an operator waits for
PORTAL_ENV = {
    "CYCLOUD_LEASE_SECONDS": "20",
    "CYCLOUD_RESYNC_SECONDS": "15",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TEST_SECONDS))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Show the ends of the portal's logs with a failure."""
    report = (yield).get_result()
    portal = getattr(item, "funcargs", {}).get("portal")
    if report.failed and portal is not None:
        report.sections.append(("the portal's logs", portal.tails()))


@pytest.fixture(scope="session")
def clouds() -> dict[str, real.RealCloud]:
    """Both clouds by name; skips where they do not run (in CI that is a failure)."""
    reason = testbed.missing()
    if reason and os.environ.get("CI"):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    found = real.connect()
    for cloud in found.values():
        cloud.count_volumes_anew()
    return found


@pytest.fixture(scope="session")
def facts(clouds: dict[str, real.RealCloud]) -> Facts:
    """Flavors, image and volume type of both clouds, made where missing."""
    found = []
    for name, cloud in clouds.items():
        shapes = real.FLAVORS[name]
        flavors = {f: (id_, *shapes[f]) for f, id_ in cloud.flavor_ids().items()}
        found.append(
            CloudFacts(
                name=name,
                family=next(iter(flavors)).partition(".")[0],
                flavors=flavors,
                volume_type_id=cloud.volume_type_id("shared"),
                backend_host=f"cinder-{name}@shared#shared",
                image_id=cloud.image_id(),
            )
        )
    return Facts(tuple(found), SHORT_RETENTION_SECONDS)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the portal's logs are."""
    return tmp_path_factory.mktemp("portal")


@pytest.fixture(scope="session")
def portal(clouds: dict[str, real.RealCloud], folder: Path) -> Iterator[Portal]:
    """The portal's processes, over a database and a vhost of their own."""
    with (
        postgres_server(folder) as database_url,
        Portal(folder, database_url, broker_vhost(), extra_env=PORTAL_ENV) as portal,
    ):
        yield portal


@pytest.fixture(scope="session")
def tokens(portal: Portal, facts: Facts) -> dict[str, str]:
    """Seed the catalog, a project and its people; tokens of "user" (editor) and "operator"."""
    path = portal.folder / "facts.json"
    facts.dump(path)
    code = f"from tests.e2e.harness.seed import main; main({str(path)!r})"
    printed: dict[str, str] = json.loads(portal.manage("shell", "-c", code).splitlines()[-1])
    return printed


@pytest.fixture(scope="session")
def user(portal: Portal, tokens: dict[str, str]) -> Iterator[Rest]:
    """An editor of the project "suite"; at the end its subnet goes, and with it the clouds' networks."""
    with Rest(portal.url, tokens["user"]) as client:
        yield client
        client.delete(f"{PARENT}/subnets/{SUBNET}")
        client.wait_gone(f"{PARENT}/subnets/{SUBNET}", 60)


@pytest.fixture(scope="session")
def operator(portal: Portal, tokens: dict[str, str]) -> Iterator[Rest]:
    """A platform operator."""
    with Rest(portal.url, tokens["operator"]) as client:
        yield client


@pytest.fixture
def before(clouds: dict[str, real.RealCloud]) -> real.Snapshot:
    """What is in the clouds and the pool before the test, for ``leftovers``."""
    return real.snapshot(clouds)


Machines = Callable[[str], Machine]


@pytest.fixture(scope="session")
def addresses() -> Iterator[str]:
    """Addresses of the suites' subnet, each given once."""
    return (f"10.0.1.{number}" for number in range(20, 250))


@pytest.fixture(scope="module")
def machines(
    portal: Portal, user: Rest, clouds: dict[str, real.RealCloud], addresses: Iterator[str]
) -> Iterator[Machines]:
    """Make instances of given ids (nothing is asked of the portal yet); all are removed at the end."""
    made: list[Machine] = []

    def make(id_: str) -> Machine:
        made.append(Machine(user, clouds, id_, next(addresses)))
        return made[-1]

    yield make
    for machine in made:
        if machine.uids:
            machine.remove()
