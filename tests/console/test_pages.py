"""Who sees which page, and what every page has."""

import re
from typing import Any

import pytest
from django.test import Client

from compute.models import Instance, Volume
from cycloud.core.iam.models import Membership
from tests.console.conftest import SignIn
from tests.factories.compute import World

PAGES = [
    "instances/",
    "instances/new/",
    "instances/web-1/",
    "instances/web-1/change-type/",
    "instances/web-1/attach-volume/",
    "instances/web-1/check/restart/",
    "volumes/",
    "volumes/?show_deleted=1",
    "volumes/new/",
    "volumes/data-1/",
    "volumes/data-1/grow/",
    "network-interfaces/",
    "network-interfaces/new/",
    "subnets/",
    "subnets/new/",
    "subnets/new-vpc/",
    "operations/",
]
# pages on which a member without the right to change anything must see no way to do so
LISTS = [
    "instances/",
    "instances/web-1/",
    "volumes/",
    "volumes/data-1/",
    "network-interfaces/",
    "subnets/",
]


def _text(response: Any, project_id: str) -> str:
    """Return the page without what differs from request to request, and without the project's id."""
    page = response.content.decode().replace(project_id, "PROJECT")
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


def url(world: World, page: str) -> str:
    return f"/projects/{world.project.resource_id}/{page}"


@pytest.mark.parametrize("page", PAGES)
def test_an_editor_sees_every_page(
    editor: Client, world: World, instance: Instance, volume: Volume, page: str
) -> None:
    response = editor.get(url(world, page))

    assert response.status_code == 200
    assert "script-src 'self'" in response.headers["Content-Security-Policy"]
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("page", PAGES)
def test_a_stranger_gets_404_as_for_a_project_that_does_not_exist(
    sign_in: SignIn, world: World, instance: Instance, volume: Volume, page: str
) -> None:
    client = sign_in("stranger")

    foreign = client.get(url(world, page))
    missing = client.get(f"/projects/nowhere/{page}")

    assert foreign.status_code == missing.status_code == 404
    project = world.project.resource_id
    assert _text(foreign, project) == _text(missing, "nowhere")


@pytest.mark.parametrize("page", PAGES)
def test_who_is_not_signed_in_is_asked_to(
    sign_in: SignIn, world: World, instance: Instance, volume: Volume, page: str
) -> None:
    response = sign_in("anonymous").get(url(world, page))

    assert response.status_code == 302
    assert response.headers["Location"].startswith("/sign-in/?next=")


@pytest.mark.parametrize("page", LISTS)
def test_a_viewer_sees_no_button(
    sign_in: SignIn, world: World, instance: Instance, volume: Volume, page: str
) -> None:
    world.network_interface()
    content = sign_in("viewer").get(url(world, page)).content.decode()
    main = content[content.index("<main") : content.index("</main>")]

    assert "<button" not in main
    assert "<form" not in main
    assert 'class="button' not in main


@pytest.mark.parametrize("page", LISTS)
def test_an_operator_who_is_no_member_sees_the_buttons(
    sign_in: SignIn, world: World, instance: Instance, volume: Volume, page: str
) -> None:
    world.network_interface()
    content = sign_in("operator").get(url(world, page)).content.decode()
    main = content[content.index("<main") : content.index("</main>")]

    assert 'class="button' in main


@pytest.mark.parametrize("page", PAGES)
def test_no_page_of_a_user_names_a_cluster(
    editor: Client, world: World, instance: Instance, volume: Volume, page: str
) -> None:
    content = editor.get(url(world, page)).content.decode()

    for cluster in (world.old, world.new):
        assert cluster.resource_id not in content
        assert str(cluster.uid) not in content


def test_a_disabled_account_is_out_at_once(editor: Client, world: World) -> None:
    user = editor.get(url(world, "instances/")).wsgi_request.user
    user.is_active = False
    user.save()

    assert editor.get(url(world, "instances/")).status_code in (302, 401)


def test_an_ended_session_sends_the_whole_window_to_the_sign_in_page(
    sign_in: SignIn, world: World
) -> None:
    response = sign_in("anonymous").get(url(world, "instances/"), headers={"HX-Request": "true"})

    assert response.status_code == 401
    assert response.headers["HX-Redirect"] == "/sign-in/"


def test_home_leads_to_the_project_of_the_last_visit(editor: Client, world: World) -> None:
    editor.get(url(world, "volumes/"))

    assert editor.get("/").headers["Location"] == url(world, "instances/")


def test_home_without_a_project_leads_to_the_empty_list(sign_in: SignIn, world: World) -> None:
    client = sign_in("stranger")
    Membership.objects.all().delete()

    assert client.get("/").headers["Location"] == "/projects/"
    assert "not a member of any project" in client.get("/projects/").content.decode()


def test_signing_in_with_a_wrong_password_says_so_without_telling_which_is_wrong(
    sign_in: SignIn, world: World
) -> None:
    sign_in("editor")
    client = Client()
    texts = [
        client.post("/sign-in/", {"username": name, "password": "wrong"}).content.decode()
        for name in ("editor", "nobody")
    ]

    assert all("do not match an active account" in text for text in texts)


def test_signing_in_and_out(sign_in: SignIn, world: World) -> None:
    sign_in("editor")
    client = Client()

    entered = client.post("/sign-in/", {"username": "editor", "password": "a long test password"})
    assert entered.headers["Location"] == "/"
    assert client.get("/sign-out/").status_code == 405
    client.post("/sign-out/")
    assert client.get("/projects/").status_code == 302


def test_the_number_of_queries_of_a_list_does_not_grow_with_it(
    editor: Client, world: World, django_assert_max_num_queries: Any
) -> None:
    def count(page: str) -> int:
        with django_assert_max_num_queries(100) as captured:
            editor.get(url(world, page))
        return len(captured)

    world.instance()
    world.network_interface()
    editor.get(url(world, "instances/"))  # the session remembers the project from the first page on
    before = {page: count(page) for page in ("instances/", "volumes/", "network-interfaces/")}
    for _ in range(5):
        world.instance(volumes=2)
        world.network_interface()

    assert {page: count(page) for page in before} == before
