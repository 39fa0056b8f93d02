"""The page of the API's schema: it shows the operations, and lets who is signed in try them."""

from collections.abc import Callable

from playwright.sync_api import Page, expect


def test_the_reference_is_found_shown_and_tried(enter: Callable[..., Page]) -> None:
    page = enter("ann")
    page.locator("#user-menu").click()
    page.get_by_role("link", name="API reference").click()
    expect(page.locator("#operations-tag-Instance")).to_be_visible()
    page.locator("#operations-tag-Instance").click()
    operation = page.locator("#operations-Instance-ListInstances")
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_placeholder("project").fill("demo")
    operation.get_by_role("button", name="Execute").click()
    answer = operation.locator(".live-responses-table .response").first
    expect(answer.locator(".response-col_status")).to_contain_text("200")
    expect(answer).to_contain_text("projects/demo/instances/web-1")
