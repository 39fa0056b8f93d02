"""The definitions on a real API server, by kubectl: what people see, and what they are refused with."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from cycloud.kubernetes.crds import definitions
from tests.e2e.kubernetes.harness import expected
from tests.e2e.kubernetes.harness.install import DEFINITIONS
from tests.e2e.kubernetes.harness.kubectl import Json, Kubectl
from tests.e2e.kubernetes.harness.server import ApiServer

NAMESPACE: Final = "definitions"
UID: Final = "6f1b1f0e-5a7e-4f0b-9d2e-2f3d7d6a1a11"
COMPUTE: Final = "compute.interface.compute.cycloud.jp/v1"
STORAGE: Final = "storage.interface.compute.cycloud.jp/v1"
CLUSTER: Final = {"kind": "OpenStackCluster", "name": "cluster-a"}
VOLUME_SPEC: Final = {
    "volumeType": "cgp1",
    "availabilityZone": "apne1a",
    "size": "10Gi",
    "image": "ubuntu-24.04",
}
INSTANCE_SPEC: Final = {
    "instanceType": "m8a.medium",
    "availabilityZone": "apne1a",
    "volumeAttachments": [{"deviceIndex": 0, "volumeName": "root-1"}],
    "networkInterfaceAttachments": [{"deviceIndex": 0, "networkInterfaceID": "ni-1"}],
}
TYPE_SPEC: Final = {
    "cpuInfo": {"vcpus": 2},
    "memoryInfo": {"sizeBytes": 8 * 1024**3},
    "availabilityZones": [{"name": "apne1a", "computeCluster": CLUSTER, "providerID": "f-1"}],
}


def _object(api_version: str, kind: str, name: str, spec: Json) -> Json:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec,
    }


def _volume(name: str, **spec: Any) -> Json:
    return _object(STORAGE, "Volume", name, {**VOLUME_SPEC, **spec})


def _instance(name: str, **spec: Any) -> Json:
    return _object(COMPUTE, "Instance", name, {**INSTANCE_SPEC, **spec})


def _ready(reason: str, *, status: str = "True", message: str = "") -> Json:
    return {
        "type": "Ready",
        "status": status,
        "reason": reason,
        "message": message,
        "observedGeneration": 1,
        "lastTransitionTime": "2026-01-02T03:04:05Z",
    }


@pytest.fixture(scope="module")
def kubectl(server: ApiServer) -> Iterator[Kubectl]:
    """kubectl in a namespace that has one volume and one instance, as they were applied."""
    kubectl = Kubectl(server, NAMESPACE)
    kubectl("apply", "--server-side", "--force-conflicts", "--filename", DEFINITIONS)
    kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    kubectl("create", "namespace", NAMESPACE)
    _apply(kubectl, [_volume("root-1"), _instance("web-1")])
    yield kubectl
    kubectl("delete", "namespace", NAMESPACE)


def _apply(kubectl: Kubectl, objects: Json | list[Json], *words: str) -> str:
    return kubectl("apply", "--server-side", "--filename=-", *words, input=objects)


def _set_status(kubectl: Kubectl, what: str, status: Json) -> None:
    kubectl(
        "patch", what, "--subresource=status", "--type=merge", "-p", json.dumps({"status": status})
    )


def _patch(spec: Json) -> list[str]:
    return ["--type=merge", "--dry-run=server", "-p", json.dumps({"spec": spec})]


def test_every_definition_is_established_and_structural(kubectl: Kubectl) -> None:
    found = {
        item["metadata"]["name"]: {c["type"]: c["status"] for c in item["status"]["conditions"]}
        for item in kubectl.json("get", "crd")["items"]
    }
    good = {"NamesAccepted": "True", "Established": "True"}
    for item in definitions():
        assert found[item["metadata"]["name"]] == good


def test_applying_them_again_changes_nothing(kubectl: Kubectl) -> None:
    def versions() -> dict[str, str]:
        items = kubectl.json("get", "crd")["items"]
        return {i["metadata"]["name"]: i["metadata"]["resourceVersion"] for i in items}

    before = versions()
    kubectl("apply", "--server-side", "--filename", DEFINITIONS)
    assert versions() == before


def test_the_definition_with_a_conversion_webhook_is_taken(kubectl: Kubectl) -> None:
    client = {"url": "https://127.0.0.1:9443/convert"}
    volume = next(item for item in definitions(client) if item["spec"]["names"]["kind"] == "Volume")
    assert "serverside-applied" in _apply(kubectl, volume, "--dry-run=server", "--force-conflicts")


def test_defaults_are_filled_in(kubectl: Kubectl) -> None:
    assert kubectl.json("get", "instance", "web-1")["spec"] == {
        **INSTANCE_SPEC,
        "displayName": "",
        "desiredState": "Running",
        "sshPublicKeys": [],
        "deletionProtection": False,
    }
    assert kubectl.json("get", "volume", "root-1")["spec"] == {**VOLUME_SPEC, "displayName": ""}
    cluster = _object(
        "cluster.interface.compute.cycloud.jp/v1",
        "OpenStackCluster",
        "cluster-a",
        {
            "availabilityZone": "apne1a",
            "controllerName": "openstack-a",
            "cloudCredentials": {"name": "a"},
        },
    )
    shown = json.loads(_apply(kubectl, cluster, "--dry-run=server", "--output=json"))
    assert shown["spec"] == {
        **cluster["spec"],
        "cloudCredentials": {"kind": "CloudsYAML", "name": "a"},
        "state": "Active",
        "displayName": "",
        "regionName": "",
        "computeMicroversion": "",
        "blockStorageMicroversion": "",
        "serverAvailabilityZone": "",
        "managesNetworks": False,
    }


def test_what_people_see(kubectl: Kubectl) -> None:
    _apply(kubectl, [_volume("seen-1"), _instance("seen-1")])
    _set_status(
        kubectl,
        "volume/seen-1",
        {
            "uid": UID,
            "state": "InUse",
            "size": "10Gi",
            "attachedInstance": "seen-1",
            "conditions": [_ready("VolumeBindingReady")],
        },
    )
    _set_status(
        kubectl,
        "instance/seen-1",
        {
            "uid": UID,
            "state": "Running",
            "ipAddress": "10.0.1.23",
            "conditions": [
                _ready("MoveBlocked", status="False", message="Volume seen-1 has snapshots.")
            ],
        },
    )
    narrow = kubectl("get", "instances,volumes")
    wide = kubectl("get", "instances,volumes", "--output=wide")
    expected.check("definitions-get", narrow)
    expected.check("definitions-get-wide", wide)
    kubectl("delete", "instance/seen-1", "volume/seen-1")


@pytest.mark.parametrize("what", ["instance.spec", "volume", "volume.spec.size", "itype.spec"])
def test_explain_tells_what_the_public_contract_says(kubectl: Kubectl, what: str) -> None:
    expected.check(f"definitions-explain-{what}", kubectl("explain", what))


BAD_VOLUMES: Final[dict[str, Json]] = {
    "no size": {"size": "abc"},
    "a part of a GiB": {"size": "1536Mi"},
    "beyond reason": {"size": "999999999Ti"},
    "too long": {"size": "1000000000000Gi"},
    "no id": {"availabilityZone": "APNE1A"},
    "not there": {"volumeType": None},
}
BAD_INSTANCES: Final[dict[str, Json]] = {
    "nothing to boot from": {"volumeAttachments": [{"deviceIndex": 1, "volumeName": "root-1"}]},
    "no volume at all": {"volumeAttachments": []},
    "a place twice": {
        "volumeAttachments": [
            {"deviceIndex": 0, "volumeName": "a"},
            {"deviceIndex": 0, "volumeName": "b"},
        ]
    },
    "a volume twice": {
        "volumeAttachments": [
            {"deviceIndex": 0, "volumeName": "a"},
            {"deviceIndex": 1, "volumeName": "a"},
        ]
    },
    "a network interface twice": {
        "networkInterfaceAttachments": [
            {"deviceIndex": 0, "networkInterfaceID": "ni-1"},
            {"deviceIndex": 1, "networkInterfaceID": "ni-1"},
        ]
    },
    "27 volumes": {
        "volumeAttachments": [{"deviceIndex": i, "volumeName": f"v{i}"} for i in range(27)]
    },
    "the API's word for a state": {"desiredState": "RUNNING"},
    "a state that nobody can want": {"desiredState": "Deleting"},
}


def test_refusals_name_the_field_and_what_to_do(kubectl: Kubectl) -> None:
    cases = [("volume/root-1", name, spec) for name, spec in BAD_VOLUMES.items()]
    cases += [("instance/web-1", name, spec) for name, spec in BAD_INSTANCES.items()]
    texts = [
        f"# {what}: {name}\n{kubectl.fails('patch', what, *_patch(spec))}"
        for what, name, spec in cases
    ]
    expected.check("definitions-refusals", "\n".join(texts))
    assert kubectl.json("get", "volume", "root-1")["spec"] == {**VOLUME_SPEC, "displayName": ""}


def test_what_exists_cannot_become_another_thing(kubectl: Kubectl) -> None:
    _apply(kubectl, [_volume("fixed-1"), _instance("fixed-1")])
    _set_status(kubectl, "volume/fixed-1", {"uid": UID, "size": "10Gi"})
    _set_status(kubectl, "instance/fixed-1", {"uid": UID})
    cases: list[tuple[str, Json]] = [
        ("volume/fixed-1", {"size": "9Gi"}),
        ("volume/fixed-1", {"availabilityZone": "apne1b"}),
        ("volume/fixed-1", {"volumeType": "cgp2"}),
        ("volume/fixed-1", {"image": "debian-12"}),
        ("volume/fixed-1", {"image": None}),
        ("instance/fixed-1", {"availabilityZone": "apne1b"}),
    ]
    texts = [
        f"# {what}: {json.dumps(spec)}\n{kubectl.fails('patch', what, *_patch(spec))}"
        for what, spec in cases
    ]
    expected.check("definitions-immutable", "\n".join(texts))
    kubectl("patch", "volume/fixed-1", *_patch({"size": "1Ti"}))
    kubectl("patch", "instance/fixed-1", *_patch({"instanceType": "m7a.medium"}))
    kubectl("delete", "volume/fixed-1", "instance/fixed-1")


def test_a_declaration_that_was_never_taken_in_can_be_mended(kubectl: Kubectl) -> None:
    kubectl("patch", "volume/root-1", *_patch({"availabilityZone": "apne1b", "size": "1Gi"}))


def test_a_size_that_the_volume_never_had_can_be_taken_back(kubectl: Kubectl) -> None:
    """What a quota refused, or what somebody else wrote over ours."""
    _apply(kubectl, _volume("grown-1"))
    _set_status(kubectl, "volume/grown-1", {"uid": UID, "size": "10Gi"})
    kubectl("patch", "volume/grown-1", "--type=merge", "-p", '{"spec":{"size":"9000Gi"}}')
    kubectl("patch", "volume/grown-1", "--type=merge", "-p", '{"spec":{"size":"10Gi"}}')
    kubectl.fails("patch", "volume/grown-1", *_patch({"size": "9Gi"}))
    # the status may run ahead of the declaration
    _set_status(kubectl, "volume/grown-1", {"size": "20Gi"})
    kubectl("delete", "volume/grown-1")


def test_an_address_once_given_stays(kubectl: Kubectl) -> None:
    group = "networking.interface.compute.cycloud.jp/v1"
    _apply(kubectl, _object(group, "NetworkInterface", "ni-1", {"subnet": "web"}))
    # Cycloud tells which one it is in the status; a person may write it down
    kubectl("patch", "ni", "ni-1", "--type=merge", "-p", '{"spec":{"ipAddress":"10.0.1.23"}}')
    _set_status(kubectl, "ni/ni-1", {"uid": UID, "ipAddress": "10.0.1.23"})
    for other in ("10.0.1.24", None):
        text = kubectl.fails("patch", "ni", "ni-1", *_patch({"ipAddress": other}))
        assert "spec.ipAddress" in text
        assert "ipAddress cannot be changed once the NetworkInterface exists" in text
    text = kubectl.fails("patch", "ni", "ni-1", *_patch({"ipAddress": "10.0.1"}))
    assert 'must be of type ipv4: "10.0.1"' in text
    kubectl("delete", "ni", "ni-1")


@pytest.mark.parametrize("name", ["1root", "root.1", "r" * 64])
def test_a_name_that_is_no_id_is_refused(kubectl: Kubectl, name: str) -> None:
    text = kubectl.fails("apply", "--server-side", "--filename=-", input=_volume(name))
    assert "metadata.name is the id of the resource: up to 63 lower-case letters" in text
    assert "\n* metadata.name" in text or "metadata.name: Invalid value" in text


def test_a_generated_name_is_taken(kubectl: Kubectl) -> None:
    made = {**_volume(""), "metadata": {"generateName": "data-"}}
    text = kubectl("create", "--filename=-", "--dry-run=server", input=made)
    assert "/data-" in text


def test_an_unknown_field_is_refused(kubectl: Kubectl) -> None:
    wrong = _instance("typo-1", instancetype="m8a.large")
    for words in (["--server-side"], []):
        text = kubectl.fails("apply", "--filename=-", *words, input=wrong)
        assert "instancetype" in text
    assert kubectl.fails("get", "instance", "typo-1").startswith("Error from server (NotFound)")


def test_conditions_of_two_managers_are_kept_apart(kubectl: Kubectl) -> None:
    _apply(kubectl, _instance("shared-1"))

    def write(manager: str, condition: Json) -> None:
        status = {"conditions": [condition]}
        body = {**_instance("shared-1"), "status": status}
        del body["spec"]
        _apply(kubectl, body, f"--field-manager={manager}", "--subresource=status")

    write("cycloud-status", _ready("Updated"))
    write("auditor", {**_ready("Checked"), "type": "Audited"})
    write("cycloud-status", _ready("Stopped"))
    found = kubectl.json("get", "instance", "shared-1")["status"]["conditions"]
    assert {c["type"]: c["reason"] for c in found} == {"Ready": "Stopped", "Audited": "Checked"}
    kubectl("delete", "instance", "shared-1")


def test_attachments_of_two_managers_are_kept_apart(kubectl: Kubectl) -> None:
    _apply(kubectl, _instance("both-1"))
    more = _instance("both-1", volumeAttachments=[{"deviceIndex": 1, "volumeName": "data-1"}])
    _apply(kubectl, more, "--field-manager=storage-team")
    found = kubectl.json("get", "instance", "both-1")["spec"]["volumeAttachments"]
    assert found == [
        {"deviceIndex": 0, "volumeName": "root-1"},
        {"deviceIndex": 1, "volumeName": "data-1"},
    ]
    kubectl("delete", "instance", "both-1")


def test_large_numbers_and_long_names_fit(kubectl: Kubectl) -> None:
    spec = {**TYPE_SPEC, "memoryInfo": {"sizeBytes": 64 * 1024**4}, "displayName": "名" * 255}
    large = _object(COMPUTE, "InstanceType", "definitions.large", spec)
    shown = json.loads(_apply(kubectl, large, "--dry-run=server", "--output=json"))
    assert shown["spec"]["memoryInfo"]["sizeBytes"] == 70368744177664
    _set_status(kubectl, "instance/web-1", {"observedGeneration": 2**40})
    assert kubectl.json("get", "inst", "web-1")["status"] == {"observedGeneration": 2**40}
    odd = {**large, "spec": {**spec, "memoryInfo": {"sizeBytes": 1024**3 + 1}}}
    assert "memoryInfo.sizeBytes" in kubectl.fails(
        "apply", "--server-side", "--filename=-", "--dry-run=server", input=odd
    )


def test_a_developer_lists_the_category_without_an_error(kubectl: Kubectl) -> None:
    """kubectl asks for every kind of a category: one that may not be read would fail the whole command."""
    groups = "instances.compute.interface.compute.cycloud.jp"
    readable = [
        item["metadata"]["name"]
        for item in definitions()
        if item["spec"]["names"]["categories"] == ["cycloud"]
    ]
    assert groups in readable
    words = [f"--resource={name}" for name in readable]
    kubectl("create", "role", "developer", "--verb=get,list,watch", *words)
    kubectl("create", "rolebinding", "developer", "--role=developer", "--user=dora")
    listed = kubectl("get", "cycloud", "--as=dora")
    assert "web-1" in listed
    assert "root-1" in listed
    assert "Forbidden" not in listed
    for category in ("cycloud-catalog", "cycloud-provider"):
        assert "Forbidden" in kubectl.fails("get", category, "--as=dora")
        assert "Forbidden" not in kubectl("get", category)
