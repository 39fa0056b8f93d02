"""Who may write what: what is ours is put back with an Event, and handing over is a verb in both directions."""

import pytest

from compute.models import Instance
from compute.services.instance_input import InstanceUpdate
from compute.services.instance_power import stop_instance
from compute.services.instances import update_instance
from cycloud.core.aip.errors import FailedPrecondition
from networking.models import NetworkInterface
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    create_network_interface,
    delete_network_interface,
    update_network_interface,
)
from tests.e2e.kubernetes.harness.api import Json
from tests.e2e.kubernetes.harness.install import manage
from tests.e2e.kubernetes.harness.tenant import Tenant
from tests.e2e.kubernetes.harness.world import World


@pytest.fixture(scope="module")
def owner(world: World) -> Tenant:
    """A project with an instance that is the API's."""
    owner = world.tenant("owner")
    owner.create_instance("api-1")
    owner.api.wait_ready("instances", "api-1")
    return owner


def _interface(owner: Tenant, name: str) -> None:
    """A network interface that is the API's."""
    create_network_interface(
        actor=owner.actor,
        project_id=owner.project_id,
        data=NetworkInterfaceInput("main"),
        network_interface_id=name,
    )
    owner.api.wait_ready("networkinterfaces", name)


def _wait_put_back(owner: Tenant, plural: str, name: str, part: str, before: Json) -> None:
    """Wait until a part of an object is as before, and an Event tells who had written to it."""

    def is_back(found: Json | None) -> bool:
        told = [e for e in owner.api.events(name) if e["reason"] == "PutBack"]
        mine = [e for e in told if "somebody" in e["note"] and part in e["note"]]
        return found is not None and found[part] == before[part] and bool(mine)

    owner.api.wait(plural, name, f"its {part} put back", is_back)


def test_the_spec_of_what_the_api_owns_is_put_back(owner: Tenant) -> None:
    before = owner.api.wait_ready("instances", "api-1")
    owner.api.merge(
        "instances", "api-1", {"spec": {"desiredState": "Stopped", "displayName": "mine"}}
    )
    _wait_put_back(owner, "instances", "api-1", "spec", before)
    row = Instance.objects.get(project__resource_id=owner.project_id, resource_id="api-1")
    assert (row.desired_state, row.display_name, row.managed_by) == ("RUNNING", "", "")


def test_a_status_is_put_back(owner: Tenant) -> None:
    _interface(owner, "told-lies")
    before = owner.api.wait_ready("networkinterfaces", "told-lies")
    owner.api.merge_status("networkinterfaces", "told-lies", {"ipAddress": "192.0.2.1"})
    _wait_put_back(owner, "networkinterfaces", "told-lies", "status", before)


def test_a_providers_object_is_put_back(owner: Tenant) -> None:
    before = owner.api.wait_ready("openstackinstances", "api-1")
    owner.api.merge("openstackinstances", "api-1", {"spec": {"flavorID": "theirs"}})
    _wait_put_back(owner, "openstackinstances", "api-1", "spec", before)


def test_an_object_that_somebody_deleted_is_written_anew(owner: Tenant) -> None:
    """Absence of an object is never taken for a deletion."""
    _interface(owner, "lost")
    before = owner.api.wait_ready("networkinterfaces", "lost")
    owner.api.delete("networkinterfaces", "lost")

    def is_anew(found: Json | None) -> bool:
        return found is not None and found["metadata"]["uid"] != before["metadata"]["uid"]

    after = owner.api.wait("networkinterfaces", "lost", "anew", is_anew)
    assert after["spec"] == before["spec"]
    after = owner.api.wait_ready("networkinterfaces", "lost")
    assert after["status"]["uid"] == before["status"]["uid"]


def test_a_providers_object_belongs_to_that_of_the_resource(owner: Tenant) -> None:
    instance = owner.api.wait_ready("instances", "api-1")
    provider = owner.api.wait_ready("openstackinstances", "api-1")
    (reference,) = provider["metadata"]["ownerReferences"]
    assert (reference["kind"], reference["uid"]) == ("Instance", instance["metadata"]["uid"])


def test_the_api_refuses_to_change_what_kubernetes_manages(owner: Tenant) -> None:
    owner.kubectl("apply", "-f", "-", input=owner.folder("web-1"))
    owner.api.wait_ready("instances", "web-1")
    wanted = f"namespaces/{owner.namespace}/instances/web-1"
    with pytest.raises(FailedPrecondition, match=wanted):
        update_instance(
            actor=owner.actor,
            project_id=owner.project_id,
            instance_id="web-1",
            changes=InstanceUpdate(display_name="over the API"),
        )
    with pytest.raises(FailedPrecondition, match=wanted):
        stop_instance(actor=owner.actor, project_id=owner.project_id, instance_id="web-1")
    with pytest.raises(FailedPrecondition, match="networkinterfaces/web-1"):
        delete_network_interface(
            actor=owner.actor, project_id=owner.project_id, network_interface_id="web-1"
        )
    assert Instance.objects.get(resource_id="web-1").desired_state == "RUNNING"


def test_adopt_and_release(owner: Tenant) -> None:
    _interface(owner, "handed")
    name = f"{owner.parent}/networkInterfaces/handed"
    manage("adopt", "NetworkInterface", name)
    owner.api.wait_condition("networkinterfaces", "handed", "Accepted", "True")
    owner.api.merge("networkinterfaces", "handed", {"spec": {"displayName": "declared here"}})
    owner.api.wait_ready("networkinterfaces", "handed")
    row = NetworkInterface.objects.get(resource_id="handed")
    assert row.display_name == "declared here"
    assert row.managed_by == f"namespaces/{owner.namespace}/networkinterfaces/handed"
    manage("release", "NetworkInterface", name)

    def is_free(found: Json | None) -> bool:
        metadata = (found or {}).get("metadata") or {}
        return (
            not metadata.get("finalizers") and metadata["labels"]["cycloud.jp/managed-by"] == "api"
        )

    owner.api.wait("networkinterfaces", "handed", "released", is_free)
    update_network_interface(
        actor=owner.actor,
        project_id=owner.project_id,
        network_interface_id="handed",
        changes={"display_name": "over the API again"},
    )

    def is_shown(found: Json | None) -> bool:
        return found is not None and found["spec"]["displayName"] == "over the API again"

    owner.api.wait("networkinterfaces", "handed", "shown", is_shown)


def test_applying_the_name_of_what_the_api_owns_does_not_take_it_over(owner: Tenant) -> None:
    """Not even by force: whoever does it by accident finds it put back."""
    _interface(owner, "taken")
    before = owner.api.wait_ready("networkinterfaces", "taken")
    manifest = owner.interface("taken", displayName="taken over")
    owner.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", input=manifest)

    def is_back(found: Json | None) -> bool:
        return found is not None and found["spec"] == before["spec"]

    owner.api.wait("networkinterfaces", "taken", "put back", is_back)
    row = NetworkInterface.objects.get(resource_id="taken")
    assert (row.display_name, row.managed_by) == ("", "")


def test_deleting_the_object_of_a_protected_instance_waits(owner: Tenant) -> None:
    """The object is held, says why, and goes once the protection is taken off."""
    folder = owner.folder("kept", deletionProtection=True)
    owner.kubectl("apply", "-f", "-", input=folder)
    owner.api.wait_ready("instances", "kept")
    owner.kubectl("delete", "instance", "kept", "--wait=false")
    refused = owner.api.wait_condition("instances", "kept", "Accepted", "False")
    assert "deletion_protection" in refused["message"] or "deletionProtection" in refused["message"]
    assert Instance.objects.filter(resource_id="kept", state="RUNNING").exists()
    owner.api.merge("instances", "kept", {"spec": {"deletionProtection": False}})
    owner.api.wait_gone("instances", "kept")
    assert not Instance.objects.filter(resource_id="kept").exists()
