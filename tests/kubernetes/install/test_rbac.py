"""Roles: what the controller and people may do. tests/e2e/kubernetes/test_install.py tries them on a real server."""

from typing import Any

from cycloud.kubernetes import crds
from cycloud.kubernetes.install.objects import controller_apis, taken_in_apis
from cycloud.kubernetes.install.rbac import (
    Right,
    controller_rules,
    lease_rules,
    people_roles,
    rights_of,
    role_bodies,
)
from cycloud.kubernetes.kinds import ApiKind

INSTANCE = ApiKind("compute.test", "Instance", "instances")
TYPE = ApiKind("compute.test", "InstanceType", "instancetypes", namespaced=False)
VPC = ApiKind("networking.test", "VPC", "vpcs")


def test_the_controllers_rights_are_those_and_no_other() -> None:
    rights = {str(right) for right in rights_of(controller_rules([VPC]))}
    verbs = ("get", "list", "watch", "create", "update", "patch", "delete")
    assert rights == {
        *(f"{verb} vpcs.networking.test" for verb in verbs),
        "update vpcs.networking.test/status",
        "patch vpcs.networking.test/status",
        "get namespaces",
        "create namespaces",
        "patch namespaces",
        "get events.events.k8s.io",
        "create events.events.k8s.io",
        "update events.events.k8s.io",
    }
    assert [str(right) for right in rights_of(lease_rules(), "system")] == [
        f"{verb} leases.coordination.k8s.io in the namespace system"
        for verb in ("get", "create", "update")
    ]


def test_nothing_is_a_wildcard() -> None:
    bodies = [
        *role_bodies(controller_apis(), "system"),
        *people_roles(crds.all_definitions(), taken_in_apis()),
    ]
    for body in bodies:
        for rule in body.get("rules", ()):
            for words in rule.values():
                assert "*" not in words, body["metadata"]["name"]


def test_kinds_of_a_group_are_in_one_rule() -> None:
    first, second, third, *_ = controller_rules([INSTANCE, VPC, TYPE])
    assert (first.group, first.resources) == ("compute.test", ("instances", "instancetypes"))
    assert second.resources == ("instances/status", "instancetypes/status")
    assert third.resources == ("vpcs",)


def test_the_binding_is_to_the_service_account_alone() -> None:
    roles = {body["kind"]: body for body in role_bodies([VPC], "system")}
    account = {"kind": "ServiceAccount", "name": "cycloud", "namespace": "system"}
    for kind in ("ClusterRoleBinding", "RoleBinding"):
        assert roles[kind]["subjects"] == [account]
        assert (
            roles[kind]["roleRef"]["name"]
            == roles[kind.removesuffix("Binding")]["metadata"]["name"]
        )


def test_roles_that_kubernetes_adds_to_its_own_name_no_cluster() -> None:
    roles = {
        body["metadata"]["name"]: body
        for body in people_roles(crds.all_definitions(), taken_in_apis())
    }
    prefix = "rbac.authorization.k8s.io/aggregate-to-"
    aggregated = {
        name: label.removeprefix(prefix)
        for name, body in roles.items()
        for label in body["metadata"]["labels"]
        if label.startswith(prefix)
    }
    assert aggregated == {"cycloud-view": "view", "cycloud-edit": "edit"}
    assert _resources(roles["cycloud-view"]) == {
        "instances",
        "volumes",
        "networkinterfaces",
        "subnets",
        "vpcs",
        "placementgroups",
    }
    # what the API alone makes, nobody makes here
    assert _resources(roles["cycloud-edit"]) == {"instances", "volumes", "networkinterfaces"}
    assert _resources(roles["cycloud-catalog-edit"]) == {
        "instancetypes",
        "openstackclusters",
        "publicimages",
        "volumetypes",
    }
    assert {"volumebindings", "openstackvolumes"} <= _resources(roles["cycloud-operator-view"])


def test_a_right_reads_as_a_sentence_goes_on() -> None:
    assert (
        str(Right("g", "things/status", "patch", "n")) == "patch things.g/status in the namespace n"
    )


def _resources(role: dict[str, Any]) -> set[str]:
    return {resource for rule in role["rules"] for resource in rule["resources"]}
