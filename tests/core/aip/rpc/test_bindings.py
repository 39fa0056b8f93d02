"""The protos and the collections have the same methods, and their http rules are read as they are meant."""

from pathlib import Path
from typing import Any

import pytest

from cycloud.core.aip.collection import Collection
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.rpc.bindings import Binding, MethodKind, bind, read_rules
from cycloud.core.aip.watch import is_watched
from cycloud.rpc import COLLECTIONS, SERVICES

_STANDARD = {
    MethodKind.LIST: "rows",
    MethodKind.GET: "find",
    MethodKind.CREATE: "create",
    MethodKind.UPDATE: "update",
    MethodKind.DELETE: "delete",
}


@pytest.fixture(scope="module")
def bindings() -> dict[str, Binding]:
    rules = read_rules(Path(__file__).parents[4] / "proto" / "cycloud.yaml")
    return {
        method.full_name: bind(method, rules)
        for service in SERVICES
        for method in service.descriptor.methods
    }


@pytest.mark.parametrize("collection", COLLECTIONS, ids=lambda collection: collection.name)
def test_every_method_of_a_collection_is_one_of_the_protos_and_the_other_way_round(
    bindings: dict[str, Binding], collection: Collection[Any]
) -> None:
    bound = {(b.kind, b.verb) for b in bindings.values() if b.collection == collection.name}
    served = {(kind, "") for kind, method in _STANDARD.items() if collection.supports(method)}
    served |= {(MethodKind.CUSTOM, verb) for verb in collection.verbs}
    if is_watched(collection):
        served.add((MethodKind.WATCH, "watch"))
    assert bound == served


@pytest.mark.parametrize(
    ("method", "kind", "collection", "name_field", "body_field", "verb"),
    [
        ("compute.v1.InstanceService.ListInstances", "list", "instances", "parent", "", ""),
        (
            "compute.v1.InstanceService.CreateInstance",
            "create",
            "instances",
            "parent",
            "instance",
            "",
        ),
        (
            "compute.v1.InstanceService.UpdateInstance",
            "update",
            "instances",
            "instance.name",
            "instance",
            "",
        ),
        ("compute.v1.InstanceService.StopInstance", "custom", "instances", "name", "", "stop"),
        ("compute.v1.InstanceService.WatchInstances", "watch", "instances", "parent", "", "watch"),
        ("catalog.v1.VolumeTypeService.ListVolumeTypes", "list", "volumeTypes", "", "", ""),
        ("iam.v1.ProjectService.GetProject", "get", "projects", "name", "", ""),
        (
            "iam.v1.ProjectService.TestIamPermissions",
            "custom",
            "projects",
            "resource",
            "",
            "testIamPermissions",
        ),
        (
            "iam.v1.ServiceAccountKeyService.ListServiceAccountKeys",
            "list",
            "keys",
            "parent",
            "",
            "",
        ),
    ],
)
def test_a_rule_says_what_a_method_does(
    bindings: dict[str, Binding],
    method: str,
    kind: str,
    collection: str,
    name_field: str,
    body_field: str,
    verb: str,
) -> None:
    found = bindings[f"cycloud.{method}"]
    assert (found.kind.value, found.collection, found.name_field) == (kind, collection, name_field)
    assert (found.body_field, found.verb) == (body_field, verb)


def test_the_rules_of_operations_are_those_of_the_service_configuration(
    bindings: dict[str, Binding],
) -> None:
    found = bindings["google.longrunning.Operations.WaitOperation"]
    assert (found.kind, found.collection, found.verb) == (MethodKind.CUSTOM, "operations", "wait")


def test_a_name_is_taken_apart(bindings: dict[str, Binding]) -> None:
    found = bindings["cycloud.iam.v1.ServiceAccountKeyService.GetServiceAccountKey"]
    assert found.ids_of("projects/p/serviceAccounts/robot/keys/1") == ("p", "robot", "1")


@pytest.mark.parametrize(
    "name",
    ["", "web-1", "projects/p/instances", "projects/p/instances/", "projects//instances/a",
     "projects/p/volumes/a", "projects/p/instances/a/b", "projects/p/instances/a:start",
     "/projects/p/instances/a"],
)  # fmt: skip
def test_another_form_of_name_is_refused_and_named(bindings: dict[str, Binding], name: str) -> None:
    found = bindings["cycloud.compute.v1.InstanceService.GetInstance"]
    with pytest.raises(InvalidArgument, match=r"projects/\*/instances/\*") as refusal:
        found.ids_of(name)
    assert refusal.value.violations[0].field == "name"
