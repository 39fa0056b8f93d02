"""Keystone: who gets in, and for how long."""

import requests

from cycloud.simulator.server import SimulatorServer
from cycloud.simulator.site import Site
from tests.simulator.api import Api
from tests.simulator.conftest import StandingClock

UNAUTHENTICATED = "The request you have made requires authentication."


def test_a_wrong_password_is_refused(a: Api) -> None:
    answer = a.sign_in("guess")

    assert answer.status_code == 401
    assert answer.json()["error"] == {
        "code": 401,
        "message": UNAUTHENTICATED,
        "title": "Unauthorized",
    }


def test_a_project_of_someone_else_is_refused(a: Api) -> None:
    assert a.sign_in("simulated", project="demo").status_code == 401


def test_an_unknown_token_is_refused_by_every_service(a: Api) -> None:
    a.session.headers["X-Auth-Token"] = "forged"

    for answer in (
        a.compute("GET", "/servers"),
        a.volume("GET", "/volumes"),
        a.network("GET", "/ports"),
    ):
        assert answer.status_code == 401
        assert answer.json()["error"]["message"] == UNAUTHENTICATED
        assert answer.headers["WWW-Authenticate"].startswith("Keystone uri=")
    image = a.session.get(f"{a.root}/image/v2/images")
    assert (image.status_code, image.json()["code"]) == (401, "401 Unauthorized")


def test_a_token_expires(site: Site, a: Api, clock: StandingClock) -> None:
    clock.time += site.token_ttl - 1
    assert a.compute("GET", "/servers").status_code == 200

    clock.time += 1

    assert a.compute("GET", "/servers").status_code == 401


def test_the_catalog_names_the_host_that_the_client_used(a: Api, server: SimulatorServer) -> None:
    url = f"http://localhost:{server.port}/a/identity/v3/auth/tokens"
    token = a.session.headers["X-Auth-Token"]
    headers = {"X-Auth-Token": token, "X-Subject-Token": token, "Host": f"clouds:{server.port}"}
    answer = requests.get(url.replace("localhost", "127.0.0.1"), headers=headers, timeout=10)

    urls = {e["url"] for s in answer.json()["token"]["catalog"] for e in s["endpoints"]}
    assert f"http://clouds:{server.port}/a/compute/v2.1" in urls
    assert f"http://clouds:{server.port}/a/volume/v3/{a.project}" in urls


def test_ids_differ_from_cloud_to_cloud(site: Site) -> None:
    a, b = site.clouds["a"], site.clouds["b"]

    assert a.project_id != b.project_id
    assert a.volume_type_id("shared") != b.volume_type_id("shared")
    assert a.image_id("ubuntu-24.04") != b.image_id("ubuntu-24.04")


def test_a_member_may_not_do_what_is_for_administrators(server: SimulatorServer) -> None:
    demo = Api(server, "a", "demo")
    own = demo.new_volume()

    for answer in (
        demo.compute("GET", "/os-services"),
        demo.volume("GET", "/scheduler-stats/get_pools"),
        demo.manage("x"),
        demo.volume_action(own["id"], "os-unmanage"),
        demo.volume_action(own["id"], "os-reset_status", status="error"),
    ):
        assert answer.status_code == 403, answer.text
        assert "Policy doesn't allow" in answer.json()["forbidden"]["message"]
    assert "os-vol-host-attr:host" not in demo.get_volume(own["id"])


def test_a_member_does_not_see_other_projects(server: SimulatorServer, a: Api) -> None:
    demo = Api(server, "a", "demo")
    machine, volume, port = a.new_server()

    assert demo.compute("GET", f"/servers/{machine['id']}").status_code == 404
    assert demo.volume("GET", f"/volumes/{volume['id']}").status_code == 404
    assert demo.network("GET", f"/ports/{port['id']}").status_code == 404
    assert demo.compute("GET", "/servers/detail?all_tenants=1").json()["servers"] == []


def test_all_tenants_shows_an_administrator_every_project(server: SimulatorServer, a: Api) -> None:
    theirs = Api(server, "a", "demo").new_volume()

    listed = a.volume("GET", "/volumes/detail?all_tenants=1").json()["volumes"]

    assert [v["id"] for v in listed] == [theirs["id"]]
    assert a.volume("GET", "/volumes/detail").json()["volumes"] == []
