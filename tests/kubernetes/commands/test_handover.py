"""``adopt`` and ``release``: what they say; the rules are in tests/kubernetes/test_handover.py."""

import pytest
from django.core.management import CommandError

from catalog.models import InstanceType
from tests.factories.catalog import InstanceTypeFactory
from tests.kubernetes.commands.running import run

pytestmark = pytest.mark.django_db


@pytest.fixture
def item(settings: object) -> InstanceType:
    settings.CYCLOUD_KUBERNETES_ENABLED = True  # type: ignore[attr-defined]
    return InstanceTypeFactory.create(resource_id="m8a.medium")


def test_a_resource_is_handed_over_and_back(item: InstanceType) -> None:
    told = run("adopt", "InstanceType", item.name)
    assert told == f"{item.name} is declared by instancetypes/m8a.medium from now on.\n"
    item.refresh_from_db()
    assert item.managed_by == "instancetypes/m8a.medium"
    assert run("release", "InstanceType", item.name) == (
        f"{item.name} is declared over the API from now on.\n"
    )
    item.refresh_from_db()
    assert item.managed_by == ""


@pytest.mark.parametrize("verb", ["adopt", "release"])
def test_a_refusal_is_one_line(item: InstanceType, verb: str) -> None:
    with pytest.raises(CommandError, match="These can be handed over") as failed:
        run(verb, "Nothing", "x")
    assert "\n" not in str(failed.value)
