"""Pages of what is declared in Kubernetes: they say so, and offer nothing that would be refused."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from compute.models import Instance
from tests.factories.compute import World

BADGE = "Managed by Kubernetes</span>"
LOCKED = re.compile(r'<button [^>]*disabled title="([^"]*)">([^<]*)<')


def path(world: World, plural: str, name: str) -> str:
    return f"namespaces/cycloud-{world.project.resource_id}/{plural}/{name}"


def page_of(client: Client, world: World, page: str) -> str:
    response = client.get(f"/projects/{world.project.resource_id}/{page}")
    assert response.status_code == 200
    return response.content.decode()


def locked(page: str, declared_in: str) -> list[str]:
    """Return the labels of the buttons that cannot be pressed; each says why."""
    found = LOCKED.findall(page)
    assert all(declared_in in title for title, _ in found)
    return [label for _, label in found]


@pytest.mark.parametrize(
    ("state", "buttons"),
    [
        ("RUNNING", ["Stop", "Change type", "Delete"]),
        ("STOPPED", ["Start", "Change type", "Delete", "Attach volume"]),
    ],
)
def test_an_instance(editor: Client, world: World, state: str, buttons: list[str]) -> None:
    declared_in = path(world, "instances", "web-1")
    world.instance(resource_id="web-1", volumes=2, desired_state=state, managed_by=declared_in)
    page = page_of(editor, world, "instances/web-1/")
    assert BADGE in page
    assert f"<code>{declared_in}</code>" in page
    assert locked(page, declared_in) == buttons
    offered = set(re.findall(r'action="[^"]*/web-1/do/([^"]+)/"', page))
    assert offered == {"restart"}
    assert "data-opens=" not in page.replace('data-opens="restart-dialog"', "")
    assert (state == "RUNNING") is ('data-opens="restart-dialog"' in page)
    assert "change-type/" not in page
    assert "Detach" not in page


def test_an_instance_of_the_api_has_all_buttons(
    editor: Client, world: World, instance: Instance
) -> None:
    page = page_of(editor, world, "instances/web-1/")
    assert BADGE not in page
    assert "Managed by Kubernetes" not in page
    assert not LOCKED.search(page)
    for dialog in ("stop", "restart", "delete"):
        assert f'data-opens="{dialog}-dialog"' in page
        assert f'<dialog id="{dialog}-dialog"' in page


def test_a_volume(editor: Client, world: World) -> None:
    declared_in = path(world, "volumes", "data-1")
    world.volume(resource_id="data-1", managed_by=declared_in)
    page = page_of(editor, world, "volumes/data-1/")
    assert BADGE in page
    assert f"<code>{declared_in}</code>" in page
    assert locked(page, declared_in) == ["Grow", "Delete"]
    assert not re.search(r'action="[^"]*/data-1/', page)
    assert "grow/" not in page


@pytest.mark.parametrize("page", ["instances/", "volumes/", "network-interfaces/"])
def test_lists_tell_which_are(editor: Client, world: World, page: str) -> None:
    rows: list[Any] = [
        world.instance(resource_id="web-1", volumes=0),
        world.volume(resource_id="data-1"),
        world.network_interface(resource_id="front"),
    ]
    world.volume(resource_id="data-2")
    assert BADGE not in page_of(editor, world, page)
    for row in rows:
        type(row).objects.filter(pk=row.pk).update(managed_by="namespaces/n/things/x")
    shown = page_of(editor, world, page)
    assert shown.count(BADGE) == 1
    assert locked(shown, "namespaces/n/") == (["Delete"] if "network" in page else [])
    assert not re.search(r'action="[^"]*/front/', shown)


def test_who_asks_all_the_same_is_told_which_object_to_change(
    editor: Client, world: World, instance: Instance
) -> None:
    declared_in = path(world, "instances", "web-1")
    Instance.objects.update(managed_by=declared_in)
    response = editor.post(
        f"/projects/{world.project.resource_id}/instances/web-1/do/stop/", follow=True
    )
    message = f"managed by Kubernetes: change its object there, {declared_in}"
    assert escape(message) in response.content.decode()
    instance.refresh_from_db()
    assert instance.desired_state == "RUNNING"
