"""Glance: images with bytes, errors in HTML."""

import pytest
import requests
from openstack.connection import Connection

from cycloud.simulator.site import Site
from tests.simulator.api import NOWHERE, Api


def _image(a: Api, method: str, path: str, **kwargs: object) -> requests.Response:
    return a.session.request(method, f"{a.root}/image/v2{path}", **kwargs)  # type: ignore[arg-type]


def test_openstacksdk_uploads_lists_downloads_and_deletes_an_image(
    site: Site, sdk_a: Connection
) -> None:
    image = sdk_a.image.create_image(
        "mine", data=b"x" * 70_000, disk_format="raw", container_format="bare", wait=True
    )

    shown = sdk_a.image.get_image(image.id)
    assert (shown.status, shown.size) == ("active", 70_000)
    assert [i.id for i in sdk_a.image.images(name="mine")] == [image.id]
    assert sdk_a.image.download_image(image.id).content == b"x" * 70_000
    sdk_a.image.delete_image(image.id)
    assert not list(sdk_a.image.images(name="mine"))
    assert not site.image_data.exists(image.id)


def test_the_seeded_image_is_the_same_in_every_cloud(site: Site) -> None:
    digests = {site.image_data.digest(c.image_id("ubuntu-24.04")) for c in site.clouds.values()}

    assert len(digests) == 1


def test_an_unknown_image_is_not_found_in_html(a: Api) -> None:
    answer = _image(a, "GET", f"/images/{NOWHERE}")

    assert (answer.status_code, answer.headers["Content-Type"][:9]) == (404, "text/html")
    assert f"No image found with ID {NOWHERE}" in answer.text
    assert _image(a, "DELETE", f"/images/{NOWHERE}").status_code == 404


@pytest.mark.parametrize(
    ("attributes", "status", "text"),
    [
        ({}, 400, "must be set prior to saving data"),
        ({"disk_format": "qcow2", "container_format": "bare"}, 415, "does not match stream data"),
    ],
)
def test_a_wrong_upload_is_refused(
    a: Api, attributes: dict[str, str], status: int, text: str
) -> None:
    image = _image(a, "POST", "/images", json={"name": "q", **attributes}).json()

    answer = _image(a, "PUT", f"/images/{image['id']}/file", data=b"raw")

    assert (answer.status_code, text in answer.text) == (status, True)
    assert _image(a, "GET", f"/images/{image['id']}").json()["status"] == "queued"
    assert _image(a, "GET", f"/images/{image['id']}/file").status_code == 204


def test_an_active_image_is_not_overwritten(a: Api) -> None:
    ident = a.cloud.image_id("ubuntu-24.04")

    answer = _image(a, "PUT", f"/images/{ident}/file", data=b"raw")

    assert answer.status_code == 409
    assert "Image status transition from active to saving is not allowed" in answer.text


def test_a_protected_image_is_kept(a: Api) -> None:
    ident = a.cloud.image_id("ubuntu-24.04")
    patch = [{"op": "replace", "path": "/protected", "value": True}]
    assert _image(a, "PATCH", f"/images/{ident}", json=patch).status_code == 200

    answer = _image(a, "DELETE", f"/images/{ident}")

    assert answer.status_code == 403
    assert f"Image {ident} is protected and cannot be deleted." in answer.text


def test_images_are_found_by_filters_and_paged(a: Api) -> None:
    for number in range(2):
        body = {"name": "mine", "tags": ["t"], "kind": str(number)}
        _image(a, "POST", "/images", json=body)

    first = _image(a, "GET", "/images?name=mine&limit=1").json()
    rest = a.session.get(f"{a.root}/image{first['next']}").json()

    assert [i["kind"] for i in first["images"] + rest["images"]] == ["1", "0"]
    assert len(_image(a, "GET", "/images?tag=t").json()["images"]) == 2
    assert _image(a, "GET", "/images?status=active&name=mine").json()["images"] == []
    assert _image(a, "GET", f"/images?marker={NOWHERE}").status_code == 404


def test_a_read_only_attribute_is_forbidden(a: Api) -> None:
    answer = _image(a, "POST", "/images", json={"name": "q", "status": "active"})

    assert answer.status_code == 403


def test_a_volume_from_an_image_that_goes_away_ends_in_error(site: Site, a: Api) -> None:
    site.hold("a", "creating")
    volume = a.new_volume(image=True)
    _image(a, "DELETE", f"/images/{a.cloud.image_id('ubuntu-24.04')}")

    site.release("a")

    assert a.get_volume(volume["id"])["status"] == "error"
