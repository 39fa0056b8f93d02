"""Every page of the admin opens in a real browser, fits the window, and complains of nothing."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Enter

WINDOW = {"width": 1400, "height": 900}
# how much wider than its frame the page, or a table in it, is
HIDDEN = """Math.max(...[...document.querySelectorAll("table")].map(t => t.parentElement)
  .concat(document.documentElement).map(e => e.scrollWidth - e.clientWidth))"""
LISTS = re.compile(r"^/admin/[a-z_]+/[a-z_]+/$")


def _paths(page: Page, pattern: re.Pattern[str]) -> list[str]:
    """Return the addresses of the page's links that match, each once."""
    links = page.eval_on_selector_all("a[href]", "all => all.map(a => a.getAttribute('href'))")
    paths = (link.partition("?")[0].partition("#")[0] for link in links)
    return sorted({path for path in paths if pattern.match(path)})


def _open(page: Page, path: str, folder: Path, name: str) -> None:
    """Open a page, keep its picture, and see that nothing is wider than the window."""
    answer = page.goto(path)
    assert answer is not None
    assert answer.status == 200, path
    page.wait_for_load_state("load")
    page.screenshot(path=folder / f"{name}.png", full_page=True)
    hidden = page.evaluate(HIDDEN)
    assert hidden == 0, f"{hidden} pixels of {path} are out of sight"


@pytest.mark.timeout(400)
def test_every_list_form_and_object_opens(enter: Enter, tmp_path: Path) -> None:
    page = enter("olga", viewport=WINDOW)
    page.set_default_timeout(30_000)
    _open(page, "/admin/", tmp_path, "index")
    lists = _paths(page, LISTS)
    assert len(lists) > 20, lists
    for path in lists:
        name = "-".join(path.split("/")[2:4])
        _open(page, path, tmp_path, f"{name}-list")
        adds = _paths(page, re.compile(re.escape(path) + "add/$"))
        objects = _paths(page, re.compile(re.escape(path) + r"[0-9a-f-]+/change/$"))
        if adds:
            _open(page, adds[0], tmp_path, f"{name}-add")
        if objects:
            _open(page, objects[0], tmp_path, f"{name}-change")
