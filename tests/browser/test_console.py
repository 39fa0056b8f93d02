"""What people do in the console, in a real browser."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import Enter, Portal

PAGES = {
    "projects": "/projects/",
    "instances": "/projects/demo/instances/",
    "instance": "/projects/demo/instances/web-1/",
    "instance-restart-required": "/projects/demo/instances/api-1/",
    "instance-stopped": "/projects/demo/instances/batch-1/",
    "instance-failed": "/projects/demo/instances/cache-1/",
    "instance-create": "/projects/demo/instances/new/",
    "instance-change-type": "/projects/demo/instances/api-1/change-type/",
    "instance-attach-volume": "/projects/demo/instances/batch-1/attach-volume/",
    "volumes": "/projects/demo/volumes/?show_deleted=1",
    "volume": "/projects/demo/volumes/data-1/",
    "volume-deleted": "/projects/demo/volumes/old-logs/",
    "volume-create": "/projects/demo/volumes/new/",
    "volume-grow": "/projects/demo/volumes/data-1/grow/",
    "interfaces": "/projects/demo/network-interfaces/",
    "interface-create": "/projects/demo/network-interfaces/new/",
    "subnets": "/projects/demo/subnets/",
    "subnet-create": "/projects/demo/subnets/new/",
    "operations": "/projects/demo/operations/",
}
# a change must be on the page within this time, in milliseconds
LIVE_MS = 1000


def wait_until_live(page: Page) -> None:
    expect(page.locator("#live-state")).to_have_attribute("data-state", "on")


@pytest.mark.parametrize("look", ["light", "dark", "narrow"])
def test_every_page_fits_and_complains_of_nothing(enter: Enter, look: str, tmp_path: Path) -> None:
    width = 390 if look == "narrow" else 1280
    page = enter(
        "ann",
        viewport={"width": width, "height": 844},
        color_scheme="dark" if look == "dark" else "light",
    )
    too_wide = []
    for name, path in PAGES.items():
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 200, name
        page.screenshot(path=tmp_path / f"{name}.png", full_page=True)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            too_wide.append(name)
        unlabelled = page.evaluate(
            """[...document.querySelectorAll('input:not([type=hidden]), select, textarea')]
               .filter(field => !field.closest('[hidden]') && !field.labels.length).map(f => f.name)"""
        )
        assert unlabelled == [], name

    assert too_wide == []


def test_a_ready_condition_appears_on_the_list_within_a_second(
    enter: Enter, portal: Portal
) -> None:
    page = enter("vera")
    page.goto("/projects/demo/instances/")
    wait_until_live(page)
    row = page.get_by_role("row").filter(has_text="live-1")
    expect(row).to_contain_text("Running")

    portal.observe(
        name="live-1", status="False", reason="Moving", message="It moves.", state="STARTING"
    )

    expect(row).to_contain_text("Moving", timeout=LIVE_MS)
    expect(row).to_contain_text("Starting")


def test_a_ready_condition_appears_on_the_page_of_the_instance_within_a_second(
    enter: Enter, portal: Portal
) -> None:
    page = enter("vera")
    page.goto("/projects/demo/instances/live-2/")
    wait_until_live(page)

    portal.observe(
        name="live-2",
        status="False",
        reason="QuotaExceeded",
        message="There is no quota left for it.",
        state="ERROR",
        terminal=True,
    )

    expect(page.get_by_role("alert")).to_contain_text(
        "There is no quota left for it.", timeout=LIVE_MS
    )


def test_a_volume_appears_ready_on_the_list(enter: Enter, portal: Portal) -> None:
    page = enter("vera")
    page.goto("/projects/demo/volumes/")
    wait_until_live(page)

    portal.observe(kind="Volume", name="scratch-2", status="False", reason="DataNotFound")

    row = page.get_by_role("row").filter(has_text="scratch-2")
    expect(row).to_contain_text("DataNotFound", timeout=LIVE_MS)


def test_what_one_person_does_another_sees(enter: Enter) -> None:
    watcher, actor = enter("vera"), enter("ann")
    watcher.goto("/projects/demo/instances/power-1/")
    wait_until_live(watcher)
    expect(watcher.get_by_role("button", name="Stop")).to_have_count(0)

    actor.goto("/projects/demo/instances/power-1/")
    actor.get_by_role("button", name="Stop").click()
    dialog = actor.get_by_role("dialog", name="Stop power-1?")
    dialog.get_by_role("button", name="Stop").click()

    expect(actor.get_by_text("power-1 is stopping.")).to_be_visible()
    expect(watcher.get_by_text("Stop instance asked for by ann")).to_be_visible(timeout=LIVE_MS)


def test_after_a_lost_connection_the_page_catches_up(enter: Enter, portal: Portal) -> None:
    page = enter("vera")
    connections: list[WebSocketRoute] = []

    def pass_on(route: WebSocketRoute) -> None:
        connections.append(route)
        route.connect_to_server()

    page.route_web_socket(re.compile("/ws/"), pass_on)
    page.goto("/projects/demo/instances/again-1/")
    wait_until_live(page)

    connections[0].close(code=1011)
    expect(page.locator("#live-state")).to_have_attribute("data-state", "off")
    portal.observe(name="again-1", status="False", reason="Updating", message="Missed by nobody.")

    wait_until_live(page)
    expect(page.get_by_text("Missed by nobody.")).to_be_visible()
    assert len(connections) == 2


def test_an_instance_is_made_with_rows_added_and_taken_away(enter: Enter) -> None:
    page = enter("ann")
    page.goto("/projects/demo/instances/")
    page.get_by_role("link", name="Create instance").click()
    page.get_by_label("Name", exact=False).first.fill("made-1")
    page.get_by_role("button", name="Add volume").click()
    page.get_by_role("button", name="Add volume").click()
    page.get_by_role("button", name="Remove").first.click()
    last = page.locator("[data-rows=volumes] [data-row]").last
    last.get_by_label("Source").select_option("existing")
    expect(last.get_by_label("Size in GiB")).to_be_hidden()
    last.get_by_label("Existing volume").select_option("scratch-1")
    page.get_by_label("IP address").fill("10.0.1.99")
    page.get_by_role("button", name="Create instance").click()

    expect(page.get_by_role("heading", name="made-1")).to_be_visible()
    expect(page.get_by_role("link", name="scratch-1")).to_be_visible()
    expect(page.get_by_text("10.0.1.99")).to_be_visible()


def test_a_refused_form_keeps_what_was_typed_and_names_the_field(enter: Enter) -> None:
    page = enter("ann")
    page.goto("/projects/demo/instances/new/")
    page.get_by_label("Description").fill("Kept text")
    page.get_by_label("IP address").fill("10.99.0.1")
    page.get_by_role("button", name="Create instance").click()

    field = page.get_by_label("IP address")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("10.99.0.1")
    expect(page.get_by_label("Description")).to_have_value("Kept text")


def test_choices_of_another_zone_cannot_be_chosen(enter: Enter) -> None:
    page = enter("ann")
    page.goto("/projects/demo/instances/new/")
    subnet = page.get_by_label("Subnet")
    first_zone = page.get_by_label("Zone").input_value()
    before = subnet.input_value()
    others = page.get_by_label("Zone").locator("option").all()
    other_zone = next(
        str(o.get_attribute("value")) for o in others if o.get_attribute("value") != first_zone
    )

    page.get_by_label("Zone").select_option(other_zone)

    assert subnet.input_value() != before


def test_the_preflight_is_told_when_a_type_is_chosen(enter: Enter) -> None:
    page = enter("ann")
    page.goto("/projects/demo/instances/web-1/change-type/")
    options = page.get_by_label("Instance type").locator("option").all()
    page.get_by_label("Instance type").select_option(index=len(options) - 1)

    expect(page.locator("#preflight")).to_contain_text("nothing that is known now")


def test_a_restart_is_checked_before_it_is_confirmed(enter: Enter) -> None:
    page = enter("ann")
    page.goto("/projects/demo/instances/api-1/")
    page.get_by_role("button", name="Restart now").click()
    dialog = page.get_by_role("dialog", name="Restart api-1?")

    expect(dialog).to_contain_text("nothing that is known now")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_deleting_asks_and_can_be_cancelled(enter: Enter) -> None:
    page = enter("ann")
    page.goto("/projects/demo/instances/gone-1/")
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete gone-1?")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()

    page.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete instance").click()

    expect(page.get_by_text("gone-1 is being deleted.")).to_be_visible()
    expect(page.locator("h1 + .badge")).to_have_text("Deleting")


def test_a_volume_is_deleted_and_brought_back(enter: Enter) -> None:
    page = enter("ann")
    page.goto("/projects/demo/volumes/data-1/")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete volume").click()
    expect(page.get_by_text("Its data is kept until")).to_be_visible()

    page.get_by_role("button", name="Undelete").click()

    expect(page.get_by_text("data-1 is back, with its data.")).to_be_visible()


def test_deleting_an_address_asks_first(enter: Enter) -> None:
    page = enter("ann")
    page.goto("/projects/demo/network-interfaces/")
    row = page.get_by_role("row").filter(has_text="spare-address")
    row.get_by_role("button", name="Delete").click()
    dialog = page.locator("#ask-dialog")
    dialog.get_by_role("button", name="Cancel").click()
    expect(row).to_be_visible()

    row.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()

    expect(page.get_by_text("its address is free again")).to_be_visible()
    expect(row).to_have_count(0)


def test_a_live_update_does_not_undo_a_question(enter: Enter, portal: Portal) -> None:
    page = enter("ann")
    page.goto("/projects/demo/network-interfaces/")
    wait_until_live(page)
    row = page.get_by_role("row").filter(has_text="front-address")
    row.get_by_role("button", name="Delete").click()
    old = page.locator("#interface-table").element_handle()

    page.evaluate(
        "document.getElementById('interface-table').dispatchEvent(new Event('cycloud:changed'))"
    )
    page.wait_for_function("old => !old.isConnected", arg=old)
    page.locator("#ask-dialog").get_by_role("button", name="Delete").click()

    expect(page.get_by_text("front-address is deleted")).to_be_visible()


def test_the_project_menu_switches_and_closes_on_escape(enter: Enter) -> None:
    page = enter("ann")
    page.goto("/projects/demo/instances/")
    menu = page.locator("#project-menu")
    menu.locator("summary").click()
    page.keyboard.press("Escape")
    expect(menu.get_by_role("link", name="analytics")).to_be_hidden()

    menu.locator("summary").click()
    menu.get_by_role("link", name="analytics").click()

    expect(page.get_by_text("No instances yet")).to_be_visible()


def test_the_keyboard_alone_reaches_the_content_and_the_first_instance(enter: Enter) -> None:
    page = enter("ann")
    page.goto("/projects/demo/instances/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")

    expect(page.get_by_role("link", name="Create instance")).to_be_focused()


def test_an_ended_session_leads_to_the_sign_in_page(enter: Enter, portal: Portal) -> None:
    page = enter("vera")
    page.goto("/projects/demo/instances/web-2/")
    wait_until_live(page)
    page.context.clear_cookies()

    portal.observe(name="web-2", status="True", reason="Updated", state="RUNNING")

    page.wait_for_url("**/sign-in/")


def contrast(page: Page, selector: str) -> Any:
    """Return the contrast ratio (WCAG 2.2, 1.4.3) of the first such element's text."""
    return page.evaluate(
        """selector => {
          const rgb = text => text.match(/[0-9.]+/g).map(Number);
          const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
          const element = document.querySelector(selector);
          let below = element;
          while (below && /, 0\\)$|transparent/.test(getComputedStyle(below).backgroundColor)) {
            below = below.parentElement;
          }
          const text = light(rgb(getComputedStyle(element).color));
          const ground = light(rgb(getComputedStyle(below).backgroundColor));
          return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
        }""",
        selector,
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(enter: Enter, scheme: str) -> None:
    page = enter("ann", color_scheme=scheme)
    page.goto("/projects/demo/instances/")
    seen = {}
    for selector in (
        ".badge.ok",
        ".badge.busy",
        ".badge.bad",
        ".badge.idle",
        "td .sub",
        "th",
        "td a",
        ".button.primary",
        ".sidenav a[aria-current]",
        ".sidenav .group",
    ):
        seen[selector] = contrast(page, selector)

    assert {name: ratio for name, ratio in seen.items() if ratio < 4.5} == {}
