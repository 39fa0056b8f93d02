"""Microversions: each release has its own newest one."""

import pytest

from cycloud.simulator.server import SimulatorServer
from tests.simulator.api import Api, message


@pytest.mark.parametrize(("cloud", "newest"), [("a", "2.100"), ("b", "2.104")])
def test_a_newer_microversion_than_the_release_has_is_not_acceptable(
    server: SimulatorServer, cloud: str, newest: str
) -> None:
    api = Api(server, cloud)

    answer = api.compute("GET", "/servers", version="2.999")

    assert answer.status_code == 406
    assert answer.json()["computeFault"]["message"] == (
        "Version 2.999 is not supported by the API. Minimum is 2.1 and maximum is " + newest + "."
    )
    assert api.compute("GET", "/servers", version=newest).status_code == 200
    assert api.session.get(f"{api.root}/compute/").json()["versions"][1]["version"] == newest


def test_cinder_refuses_a_newer_microversion_alike(a: Api) -> None:
    answer = a.volume("GET", "/volumes", version="3.999")

    assert answer.status_code == 406
    assert message(answer).endswith("Minimum is 3.0 and maximum is 3.71.")


def test_a_resource_is_not_found_before_its_microversion(a: Api) -> None:
    assert a.volume("GET", "/manageable_volumes?host=x", version="3.0").status_code == 404
    assert a.volume("GET", "/attachments", version="3.26").status_code == 404
    assert a.volume("GET", "/attachments", version="3.27").status_code == 200


def test_an_attribute_is_unknown_before_its_microversion(a: Api) -> None:
    body = a.server_body(a.new_volume(image=True), a.new_port(), tags=["t"])

    answer = a.compute("POST", "/servers", body, version="2.51")

    assert answer.status_code == 400
    assert "'tags' was unexpected" in message(answer)


def test_an_older_view_lacks_what_came_later(a: Api) -> None:
    server, *_ = a.new_server()
    path = f"/servers/{server['id']}"

    old = a.compute("GET", path, version="2.1").json()["server"]

    assert set(old["flavor"]) == {"id", "links"}
    assert not {"tags", "description", "locked", "host_status"} & set(old)
    assert "pinned_availability_zone" not in server
    assert "pinned_availability_zone" in a.compute("GET", path, version="2.96").json()["server"]


def test_an_unknown_path_is_not_found_in_the_shape_of_its_service(a: Api) -> None:
    assert a.compute("GET", "/nowhere").text.startswith("<html>")
    assert a.network("GET", "/nowhere").json()["NeutronError"]["type"] == "HTTPNotFound"
    placement = a.session.get(f"{a.root}/placement/resource_providers/x")
    assert placement.json()["errors"][0]["status"] == 404
    assert a.session.get(f"{a.server.url}/z/compute/v2.1").status_code == 404


def test_placement_refuses_a_newer_microversion(a: Api) -> None:
    headers = {"OpenStack-API-Version": "placement 1.99"}

    answer = a.session.get(f"{a.root}/placement/resource_providers", headers=headers)

    assert answer.status_code == 406
    assert answer.json()["errors"][0]["max_version"] == "1.39"
