"""The long runs of what ``make test`` tries in short: a running portal against its schema, and senseless requests.

They need no cloud: the portal has nobody who works off its queue. CYCLOUD_SCHEMA_EXAMPLES sets how many cases of each
operation are made up, besides those at each limit of each field.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.schema.driver import Case, ask, load_schema
from tests.schema.portal import ROOT, Portal, running_portal

schema = load_schema(coverage=True)
EXAMPLES = int(os.environ.get("CYCLOUD_SCHEMA_EXAMPLES", "100"))


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    with running_portal(tmp_path_factory.mktemp("schema")) as running:
        yield running
        assert "Traceback" not in running.log.read_text()


@pytest.mark.timeout(1800)
@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_the_portal_keeps_to_its_schema(portal: Portal, case: Case) -> None:
    ask(portal, case, portal.seeded.operator)


@pytest.mark.timeout(3600)
def test_senseless_requests_many_times() -> None:
    """tests/fuzz with two thousand requests a test (CYCLOUD_FUZZ_EXAMPLES), made up anew in each run."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "tests/fuzz/test_rest.py", "-q", "--timeout", "3000"],
        cwd=Path(ROOT),
        env={"CYCLOUD_FUZZ_EXAMPLES": "2000", **os.environ},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-6000:]
