"""One portal for all browser tests, and Debian's Chromium."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.browser import PASSWORD

CHROMIUM = "/usr/bin/chromium"
START_SECONDS = 60.0
ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Portal:
    """A running portal. ``observe`` lets a controller's observation happen."""

    url: str
    process: "subprocess.Popen[str]"

    def observe(self, **change: Any) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(change) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline().strip() == "applied"


@pytest.fixture(scope="package")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.browser.settings",
        "CYCLOUD_DATA_DIR": str(tmp_path_factory.mktemp("portal")),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.browser.portal", str(port)],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    killer = threading.Timer(START_SECONDS, process.kill)
    killer.start()
    try:
        _wait_for("ready", process.stdout)
        killer.cancel()
        yield Portal(f"http://127.0.0.1:{port}", process)
    finally:
        killer.cancel()
        process.terminate()
        process.wait(timeout=20)


def _wait_for(word: str, lines: IO[str]) -> None:
    for line in lines:
        if line.strip() == word:
            return
    raise AssertionError("the portal ended before it was ready; its output is above")


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """One browser for this package, and gone after it: while it lives its event loop counts as running in this
    thread, and no asynchronous test of another package could have one of its own.
    """
    if shutil.which(CHROMIUM) is None:
        pytest.fail(f"The browser tests need {CHROMIUM}: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            # root has no sandbox of its own in a container
            args=["--no-sandbox"] if os.geteuid() == 0 else [],
        )
        yield browser
        browser.close()


Enter = Callable[..., Page]


@pytest.fixture
def enter(portal: Portal, chromium: Browser) -> Iterator[Enter]:
    """Return a page of a person who has signed in; fails at the end if a page complained of anything."""
    complaints: list[str] = []
    contexts = []

    def sign_in(user: str, **options: Any) -> Page:
        context = chromium.new_context(
            base_url=portal.url, **{"viewport": {"width": 1280, "height": 900}, **options}
        )
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: _check_origin(request.url, portal.url, complaints))
        page.on("console", lambda message: _check_console(message, complaints))
        page.goto("/sign-in/")
        page.get_by_label("User name").fill(user)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(lambda url: "sign-in" not in url)
        return page

    yield sign_in
    for context in contexts:
        context.close()
    assert complaints == []


def _check_console(message: ConsoleMessage, complaints: list[str]) -> None:
    """The browser calls an answer with 400 (a refused form) or 401 (an ended session) an error: it is none."""
    if message.type == "error" and not re.search("status of 40[01]", message.text):
        complaints.append(message.text)


def _check_origin(url: str, own: str, complaints: list[str]) -> None:
    if not url.startswith((own, "data:", "blob:", own.replace("http", "ws", 1))):
        complaints.append(f"a page asks another host: {url}")
