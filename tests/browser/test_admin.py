"""Operators act in the admin, in a real browser."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Enter

PAGES = {
    "index": "/admin/",
    "instances": "/admin/compute/instance/",
    "volumes": "/admin/compute/volume/",
    "bindings": "/admin/compute/volumebinding/",
    "servers": "/admin/compute/openstackinstance/",
    "provider-volumes": "/admin/compute/openstackvolume/",
    "ports": "/admin/compute/openstacknetworkinterface/",
    "queue": "/admin/reconcile/duerow/",
    "operations": "/admin/aip/operation/",
    "audit": "/admin/iam/auditentry/",
    "tokens": "/admin/iam/apitoken/",
    "users": "/admin/iam/user/",
}


def test_every_page_opens_and_complains_of_nothing(enter: Enter, tmp_path: Path) -> None:
    page = enter("olga", viewport={"width": 1400, "height": 900})
    for name, path in PAGES.items():
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 200, name
        page.screenshot(path=tmp_path / f"{name}.png")


def test_an_instance_is_stopped_from_its_page_after_a_question(enter: Enter) -> None:
    page = enter("olga", viewport={"width": 1400, "height": 900})
    page.goto("/admin/compute/instance/?q=admin-1")
    page.get_by_role("link", name="admin-1").first.click()
    page.get_by_role("link", name=re.compile("Stop$")).first.click()
    expect(page.get_by_text("Stop this instance?")).to_be_visible()
    page.locator("#dialog").get_by_role("button", name="Stop").click()

    expect(page.get_by_text("Stopping: 1.")).to_be_visible()


def test_what_cannot_be_removed_is_given_up_with_a_reason(enter: Enter, tmp_path: Path) -> None:
    page = enter("olga", viewport={"width": 1400, "height": 900})
    page.goto("/admin/compute/instance/?q=stuck-1")
    page.get_by_role("link", name="stuck-1").first.click()
    page.get_by_role("link", name=re.compile("Force removal$")).first.click()
    expect(page.get_by_text("Give up removing it in order?")).to_be_visible()
    page.locator("#dialog").get_by_role("button", name="Force removal").click()
    expect(page.get_by_text("This field is required.")).to_be_visible()
    page.screenshot(path=tmp_path / "dialog.png")
    page.locator("#dialog").get_by_label("Reason").fill("The hall burned down.")
    page.locator("#dialog").get_by_role("button", name="Force removal").click()

    expect(page.get_by_text("This may be left, clean it up by hand")).to_be_visible()
    page.screenshot(path=tmp_path / "afterwards.png")
    page.goto("/admin/iam/auditentry/?q=stuck-1")
    expect(page.get_by_role("cell", name="ForceRemoval")).to_be_visible()


def test_the_secret_of_a_new_token_is_shown_once(enter: Enter) -> None:
    page = enter("olga", viewport={"width": 1400, "height": 900})
    page.goto("/admin/iam/apitoken/add/")
    page.get_by_label("Display name").fill("laptop")
    page.locator("#id_user + .select2").click()
    page.get_by_role("option", name="ann").click()
    page.locator("[name=_save]").click()

    expect(page.locator("#token-secret")).to_have_text(re.compile("cyc_[A-Za-z0-9]{40}"))
    page.goto("/admin/iam/apitoken/")
    assert not re.search("cyc_[A-Za-z0-9]{40}", page.content())
