"""What kubectl get shows of the kinds that only operators read, and of networks."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.e2e.kubernetes.harness import expected
from tests.e2e.kubernetes.harness.install import DEFINITIONS
from tests.e2e.kubernetes.harness.kubectl import Json, Kubectl
from tests.e2e.kubernetes.harness.server import ApiServer

NAMESPACE: Final = "tables"
READY: Final = {
    "type": "Ready",
    "status": "True",
    "reason": "Ready",
    "message": "All is well.",
    "observedGeneration": 1,
    "lastTransitionTime": "2026-01-02T03:04:05Z",
}
CLUSTER: Final = {"kind": "OpenStackCluster", "name": "gen8-a"}
NEXT: Final = {"kind": "OpenStackCluster", "name": "gen9-a"}
PLACEMENT: Final = {"name": "apne1a", "computeCluster": CLUSTER, "providerID": "f-1"}
STORED: Final = {**PLACEMENT, "providerType": "ceph-1", "backendHost": "a@ceph#ceph"}
UID: Final = "6f1b1f0e-5a7e-4f0b-9d2e-2f3d7d6a1a11"
# group, kind, name, spec, status
OBJECTS: Final[list[tuple[str, str, str, Json, Json]]] = [
    (
        "cluster.interface",
        "OpenStackCluster",
        "tables",
        {
            "availabilityZone": "apne1a",
            "controllerName": "openstack-a",
            "cloudCredentials": {"name": "a"},
            "state": "Draining",
        },
        {},
    ),
    (
        "compute.interface",
        "InstanceType",
        "tables.medium",
        {
            "cpuInfo": {"vcpus": 2},
            "memoryInfo": {"sizeBytes": 8 * 1024**3},
            "availabilityZones": [PLACEMENT],
        },
        {},
    ),
    ("storage.interface", "VolumeType", "tables", {"availabilityZones": [STORED]}, {}),
    (
        "image.interface",
        "PublicImage",
        "tables-24.04",
        {"minimumSize": "3Gi", "images": [{"computeCluster": CLUSTER, "providerID": "i-1"}]},
        {},
    ),
    ("networking.interface", "VPC", "main", {}, {}),
    (
        "networking.interface",
        "Subnet",
        "web",
        {
            "vpc": "main",
            "availabilityZone": "apne1a",
            "cidr": "10.0.1.0/24",
            "gatewayIP": "10.0.1.1",
        },
        {},
    ),
    (
        "networking.interface",
        "NetworkInterface",
        "ni-1",
        {"subnet": "web"},
        {
            "ipAddress": "10.0.1.23",
            "macAddress": "fa:16:3e:00:00:01",
            "attachedInstance": "web-1",
            "conditions": [READY, {**READY, "type": "Accepted", "reason": "Accepted"}],
        },
    ),
    ("compute.interface", "PlacementGroup", "apart", {"strategy": "Spread"}, {}),
    (
        "storage.interface",
        "VolumeBinding",
        "root-1",
        {
            "volumeName": "root-1",
            "volumeUID": UID,
            "providerType": "ceph-1",
            "computeCluster": CLUSTER,
            "backendReference": "volume-1",
        },
        {"created": True, "purgeTime": "2026-02-03T04:05:06Z"},
    ),
    (
        "openstack.provider",
        "OpenStackInstance",
        "web-1",
        {
            "instanceName": "web-1",
            "computeCluster": CLUSTER,
            "flavorID": "f-1",
            "run": 3,
            "running": True,
            "wanted": True,
            "nextComputeCluster": NEXT,
            "nextFlavorID": "f-9",
        },
        {"serverID": UID, "serverCluster": "gen8-a", "serverStatus": "ACTIVE"},
    ),
    (
        "openstack.provider",
        "OpenStackVolume",
        "root-1",
        {
            "volumeName": "root-1",
            "computeCluster": CLUSTER,
            "volumeType": "cgp1",
            "size": "10Gi",
            "wanted": True,
        },
        {"providerID": UID, "providerState": "in-use", "blockers": ["snapshots"]},
    ),
    (
        "openstack.provider",
        "OpenStackNetworkInterface",
        "ni-1",
        {"networkInterfaceID": "ni-1", "computeCluster": CLUSTER, "wanted": True},
        {"portID": UID, "portStatus": "ACTIVE"},
    ),
]


@pytest.fixture(scope="module")
def kubectl(server: ApiServer) -> Iterator[Kubectl]:
    """kubectl in a namespace that has one object of each kind but instances and volumes."""
    kubectl = Kubectl(server, NAMESPACE)
    kubectl("apply", "--server-side", "--force-conflicts", "--filename", DEFINITIONS)
    kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    kubectl("create", "namespace", NAMESPACE)
    made = [_object(*item[:4]) for item in OBJECTS]
    kubectl("apply", "--server-side", "--filename=-", input=made)
    for _, kind, name, _, own in OBJECTS:
        status = {"conditions": [READY], **own, "uid": UID, "observedGeneration": 1}
        text = json.dumps({"status": status})
        kubectl("patch", kind, name, "--subresource=status", "--type=merge", "-p", text)
    yield kubectl
    kubectl("delete", "--filename=-", input=made)
    kubectl("delete", "namespace", NAMESPACE)


def _object(group: str, kind: str, name: str, spec: Json) -> dict[str, Any]:
    return {
        "apiVersion": f"{group}.compute.cycloud.jp/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec,
    }


@pytest.mark.parametrize("category", ["cycloud", "cycloud-catalog", "cycloud-provider"])
def test_a_category_shows_what_its_readers_ask_first(kubectl: Kubectl, category: str) -> None:
    kinds = [kind for group, kind, *_ in OBJECTS if _category(group, kind) == category]
    # by name: other suites have objects of kinds without a namespace, too
    names = [f"{kind}/{name}" for _, kind, name, *_ in OBJECTS if kind in kinds]
    listed = kubectl("get", category, "--output=name")
    assert len([line for line in listed.split() if line.endswith(_ends(kinds))]) >= len(names)
    expected.check(f"definitions-table-{category}", kubectl("get", *names))
    expected.check(f"definitions-table-{category}-wide", kubectl("get", *names, "--output=wide"))


def _category(group: str, kind: str) -> str:
    if group == "openstack.provider" or kind == "VolumeBinding":
        return "cycloud-provider"
    catalog = ("OpenStackCluster", "InstanceType", "VolumeType", "PublicImage")
    return "cycloud-catalog" if kind in catalog else "cycloud"


def _ends(kinds: list[str]) -> tuple[str, ...]:
    return tuple(f"/{name}" for _, kind, name, *_ in OBJECTS if kind in kinds)
