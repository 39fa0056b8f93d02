"""Installing: the order, what is told, and waiting for definitions to be served."""

from itertools import count
from typing import Any

import pytest

from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.install.applying import Change, Changed, NotEstablished, install
from cycloud.kubernetes.install.objects import CONFIGURATION, Installed, to_install
from cycloud.kubernetes.install.webhook import WebhookAddress
from cycloud.kubernetes.kinds import Json
from tests.kubernetes.install.servers import FakeServer

ESTABLISHED = {"conditions": [{"type": "Established", "status": "True"}]}


def served(body: Json) -> None:
    if body["kind"] == "CustomResourceDefinition":
        body["status"] = ESTABLISHED


def put(server: FakeServer, objects: Installed, *, dry_run: bool = False) -> list[Changed]:
    seconds = count()
    return list(
        install(
            server.client,
            objects,
            dry_run=dry_run,
            clock=lambda: float(next(seconds)),
            sleep=lambda _: None,
        )
    )


def definition(name: str) -> Json:
    return {"kind": "CustomResourceDefinition", "metadata": {"name": name}, "spec": {"group": "g"}}


def role(name: str, rules: list[Json] | None = None) -> Json:
    return {"kind": "ClusterRole", "metadata": {"name": name}, "rules": rules or []}


def test_what_each_object_became_is_told() -> None:
    server = FakeServer(on_apply=served)
    objects = Installed([definition("a")], [role("one"), role("two")])
    assert {item.change for item in put(server, objects)} == {Change.CREATED}
    server.objects["ClusterRole", "two"]["rules"] = [{"verbs": ["*"]}]
    assert [(item.name, item.change) for item in put(server, objects)] == [
        ("a", Change.UNCHANGED),
        ("one", Change.UNCHANGED),
        ("two", Change.CHANGED),
    ]


def test_what_the_server_keeps_about_an_object_is_no_change() -> None:
    versions = count(1)

    def stamped(body: Json) -> None:
        served(body)
        body["metadata"]["resourceVersion"] = str(next(versions))
        body["metadata"]["managedFields"] = [{"time": str(next(versions))}]

    server = FakeServer(on_apply=stamped)
    put(server, Installed([], [role("one")]))
    assert put(server, Installed([], [role("one")])) == [
        Changed("ClusterRole", "one", Change.UNCHANGED)
    ]


def test_definitions_are_served_before_the_rest_is_applied() -> None:
    looks = count()

    class Slow(FakeServer):
        def get(self, *words: Any) -> Json | None:
            if next(looks) > 4:
                self.objects["CustomResourceDefinition", "a"]["status"] = ESTABLISHED
                assert self.applied == ["a"]
            return super().get(*words)

    server = Slow()
    server.on_apply = lambda body: None
    put(server, Installed([definition("a")], []))


def test_a_definition_that_is_never_served_is_named() -> None:
    with pytest.raises(NotEstablished, match="a is applied, but the API server does not serve it"):
        put(FakeServer(), Installed([definition("a")], [role("one")]))


def test_names_that_another_definition_has_are_told_at_once() -> None:
    def taken(body: Json) -> None:
        condition = {"type": "NamesAccepted", "status": "False", "message": '"inst" is in use'}
        body["status"] = {"conditions": [condition]}

    with pytest.raises(NotEstablished, match='has one of its names: "inst" is in use'):
        put(FakeServer(on_apply=taken), Installed([definition("a")], []))


def test_a_dry_run_keeps_nothing_and_waits_for_nothing() -> None:
    server = FakeServer()
    told = put(server, Installed([definition("a")], [role("one")]), dry_run=True)
    assert {item.change for item in told} == {Change.CREATED}
    assert not server.objects


def test_what_is_in_a_namespace_that_is_not_there_yet_would_be_made() -> None:
    missing = KubernetesFault(FaultKind.NOT_FOUND, 'namespaces "n" not found')
    path = "/api/v1/namespaces/n/serviceaccounts/cycloud"
    server = FakeServer(answers={("PATCH", path): missing})
    account = {"kind": "ServiceAccount", "metadata": {"name": "cycloud", "namespace": "n"}}
    told = put(server, Installed([], [account]), dry_run=True)
    assert told == [Changed("ServiceAccount", "n/cycloud", Change.CREATED)]
    with pytest.raises(KubernetesFault):
        put(server, Installed([], [account]))


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_webhook_that_is_no_longer_wanted_is_removed(dry_run: bool) -> None:
    server = FakeServer(on_apply=served)
    put(server, to_install("system", WebhookAddress("https://portal.example.com")))
    name = ("ValidatingWebhookConfiguration", CONFIGURATION)
    server.objects[name]["metadata"]["uid"] = "u"
    told = put(server, to_install("system", None), dry_run=dry_run)
    assert told[-1] == Changed(*name, Change.REMOVED)
    assert (name in server.objects) is dry_run
