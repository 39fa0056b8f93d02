"""A portal of its own, whose memory is looked at."""

from collections.abc import Iterator

import pytest

from tests.schema.portal import Portal, running_portal


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    with running_portal(tmp_path_factory.mktemp("fuzz")) as running:
        yield running
