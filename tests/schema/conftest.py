"""One portal for all tests of a worker that ask one over HTTP."""

from collections.abc import Iterator

import pytest

from tests.schema.portal import Portal, running_portal


@pytest.fixture(scope="session")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    with running_portal(tmp_path_factory.mktemp("schema")) as running:
        yield running
