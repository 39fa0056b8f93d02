"""``check``: what it finds, and the next step that it names."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.install.applying import install
from cycloud.kubernetes.install.checks import (
    ServerTime,
    check_clock,
    check_definitions,
    check_others,
    check_rights,
    check_server,
)
from cycloud.kubernetes.install.findings import Finding, Level
from cycloud.kubernetes.install.objects import Installed, to_install
from cycloud.kubernetes.install.rbac import Right
from cycloud.kubernetes.kinds import Json
from tests.kubernetes.install.servers import FakeServer

FORBIDDEN = KubernetesFault(FaultKind.FORBIDDEN, "no")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def served(body: Json) -> None:
    if body["kind"] == "CustomResourceDefinition":
        body["status"] = {"conditions": [{"type": "Established", "status": "True"}]}


@pytest.fixture
def objects() -> Installed:
    return to_install("system", None)


@pytest.fixture
def server(objects: Installed) -> FakeServer:
    """Everything is installed there."""
    server = FakeServer(on_apply=served)
    list(install(server.client, objects))
    return server


def levels(findings: list[Finding]) -> list[Level]:
    return [finding.level for finding in findings]


@pytest.mark.parametrize(
    ("version", "level"),
    [
        ({"major": "1", "minor": "29", "gitVersion": "v1.29.9"}, Level.WRONG),
        ({"major": "1", "minor": "30"}, Level.GOOD),
        ({"major": "1", "minor": "30+", "gitVersion": "v1.30.1-eks"}, Level.GOOD),
        ({"major": "2", "minor": "0"}, Level.GOOD),
        ({}, Level.WRONG),
    ],
)
def test_the_version_has_to_be_late_enough(version: Json, level: Level) -> None:
    found = list(
        check_server(FakeServer(answers={("GET", "/version"): {"x": 0, **version}}).client)
    )
    assert found[0].level is level
    assert str(found[1]) == "ok     identity     It knows this process as ann."


@pytest.mark.parametrize(
    ("ahead", "level", "words"),
    [
        (0.0, Level.GOOD, "within 1 s"),
        # a whole second is told: up to one more is no difference
        (-0.9, Level.GOOD, "within 1 s"),
        (5.0, Level.GOOD, "within 6 s"),
        (7.0, Level.WRONG, "7 s ahead of"),
        (-60.0, Level.WRONG, "59 s behind"),
    ],
)
def test_clocks_are_compared(ahead: float, level: Level, words: str) -> None:
    told = NOON + timedelta(seconds=ahead)
    finding = check_clock(ServerTime(told, NOON, NOON))
    assert finding.level is level
    assert words in finding.text


def test_a_slow_answer_is_no_difference_of_clocks() -> None:
    time = ServerTime(NOON + timedelta(seconds=20), NOON, NOON + timedelta(seconds=30))
    assert time.seconds_apart == 0.0


def test_each_missing_right_is_told() -> None:
    rights = [Right("g", "things", "get"), Right("g", "things/status", "patch", "n")]
    server = FakeServer(
        reviews=lambda asked: asked.get("subresource") != "status" and asked["verb"] != "*"
    )
    found = list(check_rights(server.client, rights))
    assert levels(found) == [Level.WRONG]
    assert found[0].text.startswith(
        "This account may not patch things.g/status in the namespace n."
    )


def test_an_account_that_may_do_everything_is_noted() -> None:
    found = list(check_rights(FakeServer().client, [Right("", "namespaces", "get")]))
    assert levels(found) == [Level.GOOD, Level.NOTE]
    assert "service account" in found[1].text


def test_an_installation_is_good(server: FakeServer, objects: Installed) -> None:
    found = [*check_definitions(server.client, objects), *check_others(server.client, objects)]
    assert levels(found) == [Level.GOOD, Level.GOOD]


def test_what_the_server_fills_in_does_not_matter(server: FakeServer, objects: Installed) -> None:
    for (kind, _), body in server.objects.items():
        body["metadata"].update(uid="u", resourceVersion="1")
        if kind == "CustomResourceDefinition":
            body["spec"]["preserveUnknownFields"] = False
    found = [*check_definitions(server.client, objects), *check_others(server.client, objects)]
    assert levels(found) == [Level.GOOD, Level.GOOD]


@pytest.mark.parametrize("change", ["missing", "not served", "stale", "another word"])
def test_a_definition_that_is_not_as_it_should_be_is_named(
    server: FakeServer, objects: Installed, change: str
) -> None:
    name = "volumes.storage.interface.compute.cycloud.jp"
    body: Any = server.objects["CustomResourceDefinition", name]
    if change == "missing":
        del server.objects["CustomResourceDefinition", name]
    elif change == "not served":
        body["status"] = {}
    elif change == "another word":
        body["spec"]["names"]["shortNames"] = ["volume"]
    else:
        body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = {}
    (finding,) = check_definitions(server.client, objects)
    assert finding.level is Level.WRONG
    assert finding.text.startswith(name)


def test_who_may_not_read_definitions_is_told_that_kinds_are_served(objects: Installed) -> None:
    def resources(served: bool) -> dict[tuple[str, str], Json]:
        found: dict[tuple[str, str], Json] = {}
        for body in objects.definitions:
            path = f"/apis/{body['spec']['group']}/v1"
            names = found.setdefault(("GET", path), {"resources": []})["resources"]
            if served:
                names.append({"name": body["spec"]["names"]["plural"]})
        return found

    faults = {"CustomResourceDefinition": FORBIDDEN}
    found = list(
        check_definitions(FakeServer(answers=resources(True), faults=faults).client, objects)
    )
    assert levels(found) == [Level.NOTE]
    found = list(
        check_definitions(FakeServer(answers=resources(False), faults=faults).client, objects)
    )
    assert levels(found) == [Level.WRONG] * len(objects.definitions)
    gone = {key: KubernetesFault(FaultKind.NO_SUCH_KIND, "no") for key in resources(False)}
    found = list(check_definitions(FakeServer(answers=gone, faults=faults).client, objects))
    assert levels(found) == [Level.WRONG] * len(objects.definitions)


def test_a_role_with_other_rules_is_named(server: FakeServer, objects: Installed) -> None:
    server.objects["ClusterRole", "cycloud-controller"]["rules"].pop()
    del server.objects["ServiceAccount", "cycloud"]
    found = [finding.text for finding in check_others(server.client, objects)]
    assert found == [
        "ServiceAccount cycloud is missing. Run: manage.py kubernetes install",
        "ClusterRole cycloud-controller is not as this release makes it. Run: manage.py kubernetes install",
    ]


def test_what_may_not_be_read_is_not_judged(server: FakeServer, objects: Installed) -> None:
    server.faults["ClusterRole"] = FORBIDDEN
    assert list(check_others(server.client, objects)) == []


@pytest.mark.parametrize("check", [check_definitions, check_others])
def test_a_server_that_goes_away_is_no_finding_about_objects(
    objects: Installed, check: Any
) -> None:
    away = KubernetesFault(FaultKind.UNREACHABLE, "away")
    faults = {body["kind"]: away for body in objects.all}
    with pytest.raises(KubernetesFault, match="away"):
        list(check(FakeServer(faults=faults).client, objects))
