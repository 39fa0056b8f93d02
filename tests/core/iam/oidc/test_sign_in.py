import logging
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.test import Client

from cycloud.core.iam.models import OidcIdentity, User
from tests.core.iam.oidc.issuer import Issuer
from tests.factories.iam import UserFactory
from tests.factories.rest import RestClient

pytestmark = pytest.mark.django_db
PORTAL = "http://testserver"


@dataclass(frozen=True)
class Page:
    """Where a browser ended, over which paths, and what it shows."""

    path: str
    steps: list[str]
    text: str


@dataclass
class Browser:
    """Follows redirects between the portal, in this process, and the provider, over HTTP."""

    portal: Client = field(default_factory=Client)

    def location(self, url: str) -> str:
        """Return where a page sends the browser."""
        answer = self.ask(url)
        assert answer.status_code == 302, url
        return str(answer.headers["Location"])

    def open(self, url: str) -> Page:
        steps: list[str] = []
        for _ in range(10):
            steps.append(urlsplit(url).path)
            answer = self.ask(url)
            if answer.status_code != 302:
                return Page(steps[-1], steps, answer.content.decode())
            url = answer.headers["Location"]
        raise AssertionError(f"too many redirects: {steps}")

    def ask(self, url: str) -> Any:
        if url.startswith("http://127.0.0.1"):
            return requests.get(url, timeout=10, allow_redirects=False)
        assert url.startswith(("/", PORTAL)), f"sent to another site: {url}"
        return self.portal.get(url.removeprefix(PORTAL))

    def come_back(self) -> str:
        """Begin to sign in; return where the provider sends the browser."""
        return self.location(self.location("/oidc/sign-in/"))

    @property
    def is_signed_in(self) -> bool:
        return self.open("/projects/").path == "/projects/"


@pytest.fixture
def browser() -> Browser:
    return Browser()


def test_a_person_signs_in_with_the_provider(issuer: Issuer, browser: Browser) -> None:
    page = browser.open("/sign-in/?next=/projects/")
    assert 'href="/oidc/sign-in/?next=/projects/"' in page.text
    assert "Sign in with single sign-on" in page.text
    landed = browser.open("/oidc/sign-in/?next=/projects/")
    assert landed.steps == ["/oidc/sign-in/", "/authorize", "/oidc/callback/", "/projects/"]
    assert "erika" in landed.text
    assert OidcIdentity.objects.get().user.username == "erika"
    # a second time it is the same person
    other = Browser()
    other.open("/oidc/sign-in/")
    assert other.is_signed_in
    assert User.objects.count() == 1


def test_the_provider_is_asked_with_state_nonce_and_pkce(issuer: Issuer, browser: Browser) -> None:
    seen = [parse_qs(urlsplit(browser.location("/oidc/sign-in/")).query) for _ in range(2)]
    for name in ("state", "nonce", "code_challenge"):
        values = [query[name][0] for query in seen]
        assert len(values[0]) >= 32
        assert values[0] != values[1]
    assert seen[0]["code_challenge_method"] == ["S256"]
    assert seen[0]["redirect_uri"] == [f"{PORTAL}/oidc/callback/"]


def test_a_callback_that_this_browser_did_not_ask_for_is_refused(
    issuer: Issuer, browser: Browser
) -> None:
    # the address of somebody else's finished sign-in
    foreign = Browser().come_back()
    assert browser.open(foreign).path == "/sign-in/"
    browser.come_back()
    assert "The sign-in did not work" in browser.open(foreign).text
    assert not browser.is_signed_in
    assert not User.objects.exists()


def test_a_callback_works_once(issuer: Issuer, browser: Browser) -> None:
    back = browser.come_back()
    assert browser.location(back) == "/"
    exchanged = issuer.requests.count("/token")
    assert browser.location(back) == "/sign-in/"
    assert issuer.requests.count("/token") == exchanged == 1


@pytest.mark.parametrize(
    "fault", ["wrong_nonce", "wrong_key", "wrong_audience", "disabled", "taken"]
)
def test_what_the_provider_says_is_checked(issuer: Issuer, browser: Browser, fault: str) -> None:
    if fault == "wrong_nonce":
        issuer.wrong_nonce = True
    elif fault == "wrong_key":
        RestClient(issuer.token())("GET", "projects")
        issuer.rotate("key-1")
    elif fault == "wrong_audience":
        issuer.claims["aud"] = "another"
    elif fault == "disabled":
        RestClient(issuer.token())("GET", "projects")
        User.objects.update(is_active=False)
    else:
        UserFactory.create(username="erika")
    landed = browser.open("/oidc/sign-in/")
    assert landed.path == "/sign-in/"
    assert 'class="notice bad"' in landed.text
    assert not browser.is_signed_in


def test_a_provider_that_is_away_is_told_on_the_page(issuer: Issuer, browser: Browser) -> None:
    back = browser.come_back()
    issuer.is_down = True
    landed = browser.open(back)
    assert landed.path == "/sign-in/"
    assert "The identity provider does not answer" in landed.text


def test_a_person_who_says_no_comes_back_to_the_page(issuer: Issuer, browser: Browser) -> None:
    landed = browser.open("/oidc/callback/?error=access_denied&state=x")
    assert landed.path == "/sign-in/"
    assert "The sign-in did not work" in landed.text


def test_nobody_is_sent_to_another_site_afterwards(issuer: Issuer, browser: Browser) -> None:
    assert browser.open("/oidc/sign-in/?next=https://evil.example.com/").path.startswith(
        "/projects/"
    )


def test_a_password_is_not_tried_at_the_provider(issuer: Issuer, client: Any) -> None:
    UserFactory.create(username="bob")
    form = {"username": "bob", "password": "wrong"}
    answer = client.post("/sign-in/?code=x&state=y", form)
    assert answer.status_code == 200
    assert issuer.requests == []


def test_without_settings_there_is_no_such_page(settings: Any, client: Any) -> None:
    assert settings.CYCLOUD_OIDC_ISSUER == ""
    assert client.get("/oidc/sign-in/").status_code == 404
    assert client.get("/oidc/callback/?code=x&state=y").status_code == 404
    assert "oidc" not in client.get("/sign-in/").content.decode()


def test_secrets_of_the_exchange_are_not_logged(
    issuer: Issuer,
    browser: Browser,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    back = browser.come_back()
    issuer.codes.clear()
    browser.open(back)
    code = parse_qs(urlsplit(back).query)["code"][0]
    assert code not in caplog.text
    assert "refused a code with 400" in caplog.text
