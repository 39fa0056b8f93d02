"""How much of a project's quotas is used, above the lists that it is about."""

from typing import Any

import pytest
from django.test import Client

from cycloud.console.templatetags.console import quota_usage
from cycloud.core.quotas.models import ProjectQuota
from cycloud.core.quotas.quota import UNLIMITED, Quota, QuotaResource
from tests.factories.compute import World


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("instances", ["1 of 1 instances", "No room left", "2 of 200 vCPUs", "4 GiB of 5 GiB"]),
        ("volumes", ["1 of 5 volumes", "10 GiB of 100 GiB of storage"]),
        ("network-interfaces", ["1 of 3 addresses"]),
    ],
)
@pytest.mark.parametrize("fragment", [True, False])
def test_the_lists_show_what_is_in_use(
    editor: Client, world: World, path: str, shown: list[str], fragment: bool
) -> None:
    world.instance()
    limits = {
        "instances": 1,
        "vcpus": 200,
        "memory": 5 * 1024,
        "volumes": 5,
        "storage": 100,
        "addresses": 3,
    }
    for resource, limit in limits.items():
        ProjectQuota.objects.create(project=world.project, resource=resource, limit=limit)
    headers: Any = {"HX-Request": "true"} if fragment else {}
    answer = editor.get(f"/projects/{world.project.resource_id}/{path}/", headers=headers)
    page = answer.content.decode()
    for text in shown:
        assert text in page, text
    assert "<meter" in page
    # the page's policy forbids styles in attributes
    assert "style=" not in page


@pytest.mark.parametrize(
    ("unit", "limit", "usage", "expected"),
    [
        ("1", 1000, 3, "3 of 1,000 things"),
        ("1", UNLIMITED, 3, "3 things"),
        ("GiB", 2048, 20, "20 GiB of 2 TiB of things"),
        ("MiB", 3 * 1024**2, 512, "512 MiB of 3 TiB of things"),
        ("MiB", UNLIMITED, 0, "0 MiB of things"),
    ],
)
def test_amounts_are_written_in_the_largest_whole_unit(
    unit: str, limit: int, usage: int, expected: str
) -> None:
    quota = Quota("p", QuotaResource("things", unit, "things"), limit, usage)
    assert quota_usage(quota) == expected
