"""What passes the schemas and must still be refused: with a reason and the field, an Event, and nothing half done."""

import json
from typing import Any

import pytest

from compute.models import Instance, Volume
from networking.models import NetworkInterface
from tests.e2e.kubernetes.harness.api import Json
from tests.e2e.kubernetes.harness.kubectl import Kubectl
from tests.e2e.kubernetes.harness.tenant import Tenant
from tests.e2e.kubernetes.harness.world import World

# etcd's limit is 1.5 MiB an object, Kubernetes' 256 KiB for all annotations together
MUCH = "x" * (1 << 20)
MOST = "x" * (250 << 10)


@pytest.fixture(scope="module")
def careless(world: World) -> Tenant:
    return world.tenant("careless")


@pytest.fixture(scope="module")
def other(world: World) -> Tenant:
    """Another project, with a volume."""
    other = world.tenant("other", cidr="10.9.1.0/24")
    other.api.apply(other.volume("secret"))
    other.api.wait_ready("volumes", "secret")
    return other


def _refused(tenant: Tenant, plural: str, name: str) -> Json:
    """Wait for the refusal; it is told by an Event too, and the object is not held."""
    accepted = tenant.api.wait_condition(plural, name, "Accepted", "False")
    found = tenant.api.get(plural, name)
    assert found is not None
    assert "finalizers" not in found["metadata"]

    def told(_: Json | None) -> bool:
        events = tenant.api.events(name)
        return any(
            e["type"] == "Warning" and e["note"] == accepted["message"][:1024] for e in events
        )

    tenant.api.wait(plural, name, "an Event about the refusal", told)
    return accepted


@pytest.mark.parametrize(
    ("name", "changes", "field"),
    [
        ("too-large", {"size": "2Ti"}, "spec.size"),
        ("no-type", {"volumeType": "nonsense"}, "spec.volumeType"),
        ("no-zone", {"availabilityZone": "nowhere1a"}, "spec.availabilityZone"),
        ("no-image", {"image": "nonsense"}, "spec.image"),
    ],
)
def test_a_volume_against_the_rules(
    careless: Tenant, name: str, changes: dict[str, Any], field: str
) -> None:
    careless.api.apply(careless.volume(name, **changes))
    accepted = _refused(careless, "volumes", name)
    assert field in accepted["message"]
    assert not Volume.objects.filter(resource_id=name).exists()


@pytest.mark.parametrize(
    ("name", "changes", "field"),
    [
        ("no-itype", {"instanceType": "m9z.small"}, "spec.instanceType"),
        ("bad-key", {"sshPublicKeys": ["not a key"]}, "spec.sshPublicKeys"),
        (
            "no-root",
            {"volumeAttachments": [{"deviceIndex": 0, "volumeName": "nobody-has-it"}]},
            "spec.volumeAttachments[0].volumeName",
        ),
    ],
)
def test_an_instance_against_the_rules(
    careless: Tenant, name: str, changes: dict[str, Any], field: str
) -> None:
    """The volumes and the interface of its folder are there, and stay as they are."""
    folder = careless.folder(name)
    for manifest in folder[1:]:
        careless.api.apply(manifest)
    careless.api.wait_ready("volumes", f"{name}-data")
    careless.api.wait_ready("networkinterfaces", name)
    careless.api.apply(careless.instance(name, **changes))
    accepted = _refused(careless, "instances", name)
    assert field in accepted["message"]
    assert not Instance.objects.filter(resource_id=name).exists()
    interface = NetworkInterface.objects.get(resource_id=name)
    assert getattr(interface, "attachment", None) is None


def test_a_refused_edit_changes_nothing_and_a_right_one_is_taken_in(careless: Tenant) -> None:
    careless.api.apply(careless.volume("edited", size="2Gi"))
    careless.api.wait_ready("volumes", "edited")
    careless.api.merge("volumes", "edited", {"spec": {"size": "2Ti", "displayName": "half"}})
    accepted = careless.api.wait_condition("volumes", "edited", "Accepted", "False")
    assert "spec.size" in accepted["message"]
    row = Volume.objects.get(resource_id="edited")
    assert (row.size_gib, row.display_name) == (2, "")
    careless.api.merge("volumes", "edited", {"spec": {"size": "3Gi"}})
    careless.api.wait_condition("volumes", "edited", "Accepted", "True")
    row.refresh_from_db()
    assert (row.size_gib, row.display_name) == (3, "half")


def test_another_projects_volume_is_not_found(careless: Tenant, other: Tenant) -> None:
    """The same words as for one that is nowhere: who asks learns nothing."""
    texts = []
    for name, volume in (("thief", "secret"), ("dreamer", "nowhere")):
        careless.api.apply(careless.interface(name))
        careless.api.wait_ready("networkinterfaces", name)
        attachments = [{"deviceIndex": 0, "volumeName": volume}]
        careless.api.apply(careless.instance(name, volumeAttachments=attachments))
        accepted = _refused(careless, "instances", name)
        texts.append((accepted["reason"], accepted["message"].replace(volume, "VOLUME")))
        careless.api.delete("instances", name)
    assert texts[0] == texts[1]
    full = [{"deviceIndex": 0, "volumeName": f"projects/{other.project_id}/volumes/secret"}]
    manifest = careless.instance("sly", volumeAttachments=full)
    answer = careless.api.send(
        "PATCH",
        careless.api.path("instances", "sly"),
        manifest,
        "apply-patch+yaml",
        fieldManager="flux",
    )
    assert answer.status_code == 422, answer.text
    assert not Instance.objects.filter(volume_attachments__volume__resource_id="secret").exists()


def test_a_namespace_that_is_bound_to_nobody(world: World, careless: Tenant) -> None:
    world.kubectl("create", "namespace", "stranger")
    stranger = Kubectl(world.server, "stranger")
    manifest = {**careless.volume("orphan")}
    manifest["metadata"] = {"name": "orphan", "namespace": "stranger"}
    stranger("apply", "-f", "-", input=manifest)
    stranger("wait", "--for=condition=Accepted=false", "--timeout=60s", "volume/orphan")
    found = stranger.json("get", "volume", "orphan")
    (accepted,) = found["status"]["conditions"]
    assert accepted["reason"] == "NamespaceNotBound"
    assert "stranger" in accepted["message"]
    assert "finalizers" not in found["metadata"]
    assert not Volume.objects.filter(resource_id="orphan").exists()
    stranger("delete", "volume", "orphan", "--timeout=30s")
    world.kubectl("delete", "namespace", "stranger", "--timeout=60s")


def test_a_project_that_takes_nothing_in(world: World) -> None:
    closed = world.tenant("closed", bound=False, cidr="10.8.1.0/24")
    closed.api.apply(closed.volume("unwanted"))
    accepted = _refused(closed, "volumes", "unwanted")
    assert accepted["reason"] == "NamespaceNotBound"


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("script", {"note": "<script>alert(1)</script>"}),
        ("traversal", {"note": "../../etc/passwd"}),
        ("newline", {"note": "a\nb"}),
        ("reserved", {"cycloud.jp/project": "other"}),
        ("long", {"note": "x" * 64}),
    ],
)
def test_hostile_labels(careless: Tenant, name: str, labels: dict[str, str]) -> None:
    """Refused by Kubernetes, or by us, or kept out of the row; never half done, and never written through."""
    manifest = careless.interface(f"label-{name}")
    manifest["metadata"]["labels"] = labels
    done = careless.kubectl.run("apply", "-f", "-", input=manifest)
    if done.returncode:
        assert "Invalid value" in done.stderr
        return
    careless.api.wait_condition("networkinterfaces", f"label-{name}", "Accepted", "True")
    row = NetworkInterface.objects.get(resource_id=f"label-{name}")
    assert not any(key.startswith("cycloud.jp/") for key in row.labels)
    assert row.project.resource_id == careless.project_id


def test_an_annotation_of_a_mebibyte_is_refused(careless: Tenant) -> None:
    manifest = careless.interface("huge")
    manifest["metadata"]["annotations"] = {"note": MUCH}
    refused = careless.kubectl.fails("apply", "--server-side", "-f", "-", input=manifest)
    assert "Too long" in refused


def test_annotations_as_large_as_kubernetes_takes_them_do_no_harm(careless: Tenant) -> None:
    """Past our own limit: refused with the field, or taken in; other objects go on meanwhile."""
    manifest = careless.interface("large")
    manifest["metadata"]["annotations"] = {"note": MOST}
    careless.kubectl("apply", "--server-side", "-f", "-", input=manifest)
    careless.api.apply(careless.interface("beside"))
    careless.api.wait_ready("networkinterfaces", "beside")

    def is_judged(found: Json | None) -> bool:
        return bool(((found or {}).get("status") or {}).get("conditions"))

    found = careless.api.wait("networkinterfaces", "large", "a verdict", is_judged)
    conditions = {item["type"]: item for item in found["status"]["conditions"]}
    if conditions["Accepted"]["status"] == "False":
        assert "annotations" in conditions["Accepted"]["message"]
        assert len(conditions["Accepted"]["message"]) < 1000
        assert not NetworkInterface.objects.filter(resource_id="large").exists()


def test_no_word_of_it_holds_a_secret_or_a_traceback(world: World, careless: Tenant) -> None:
    """All that this suite made Kubernetes show, read as a whole."""
    shown = json.dumps(
        [careless.api.all(plural) for plural in ("instances", "volumes", "networkinterfaces")]
    )
    shown += json.dumps(
        careless.api.call("GET", f"/apis/events.k8s.io/v1/namespaces/{careless.namespace}/events")
    )
    for word in ("Traceback", "simulated", "password", "gen7", "gen8", "kvm-"):
        assert word not in shown, word
