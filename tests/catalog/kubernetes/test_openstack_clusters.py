"""Clusters as objects: their states, and their credentials, which are only referred to."""

import json
from typing import Any

import pytest

from catalog.models import OpenStackCluster
from catalog.selectors.cluster_access import cluster_access
from catalog.services.openstack_clusters import (
    OpenStackClusterInput,
    create_openstack_cluster,
    set_openstack_cluster_state,
)
from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument
from cycloud.core.iam.models import AuditEntry
from tests.catalog.kubernetes.declarations import CLUSTERS, PLAIN, intake_of, shown, take
from tests.factories.iam import OPERATOR
from tests.factories.networking import OpenStackSubnetFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("world")]
SPEC = PLAIN["OpenStackCluster"]
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIBsecretlooking\n-----END CERTIFICATE-----"
SECRETS: dict[str, Any] = {
    "auth_url": "https://keystone.hidden:5000/v3",
    "username": "hidden-user",
    "password": "hidden-password",
    "project_name": "hidden-project",
    "ca_certificate": CERTIFICATE,
}


def with_stored_credentials(managed_by: str = "") -> OpenStackCluster:
    create_openstack_cluster(
        actor=OPERATOR,
        resource_id="new.1",
        data=OpenStackClusterInput("z1", "kvm-1", user_domain_name="hidden-domain", **SECRETS),
    )
    OpenStackCluster.objects.filter(resource_id="new.1").update(managed_by=managed_by)
    return stored()


def stored() -> OpenStackCluster:
    return OpenStackCluster.objects.get(resource_id="new.1")


def spec_with(**changes: Any) -> dict[str, Any]:
    return {**SPEC, **changes}


def test_no_secret_is_in_an_object() -> None:
    with_stored_credentials()
    manifest = shown(CLUSTERS)
    assert manifest is not None
    text = json.dumps([manifest.spec, manifest.status, [str(c) for c in manifest.conditions]])
    assert "hidden" not in text
    assert "CERTIFICATE" not in text
    assert "MIIB" not in text
    assert stored().encrypted_password not in text
    assert manifest.spec["cloudCredentials"] == {"kind": "Stored", "name": "new.1"}


def test_an_entry_of_clouds_yaml_is_referred_to_by_its_name() -> None:
    take(CLUSTERS, SPEC)
    manifest = shown(CLUSTERS)
    assert manifest is not None
    assert manifest.spec["cloudCredentials"] == {"kind": "CloudsYAML", "name": "cloud-a"}
    assert cluster_access(stored()).cloud_name == "cloud-a"


def test_a_cluster_is_not_made_with_stored_credentials() -> None:
    with pytest.raises(InvalidArgument, match=r"nothing is stored for new\.1") as caught:
        take(CLUSTERS, spec_with(cloudCredentials={"kind": "Stored", "name": "new.1"}))
    assert [v.field for v in caught.value.violations] == ["spec.cloudCredentials.kind"]
    assert not OpenStackCluster.objects.filter(resource_id="new.1").exists()


def test_stored_credentials_are_kept_by_the_cluster_that_has_them() -> None:
    before = with_stored_credentials(intake_of(CLUSTERS).manager).encrypted_password
    spec = spec_with(cloudCredentials={"kind": "Stored", "name": "new.1"}, controllerName="kvm-2")
    take(CLUSTERS, spec)
    cluster = stored()
    assert cluster.controller_name == "kvm-2"
    assert cluster.encrypted_password == before
    assert cluster_access(cluster).password == SECRETS["password"]
    assert cluster.ca_certificate == CERTIFICATE


def test_stored_credentials_of_another_cluster_cannot_be_named() -> None:
    with_stored_credentials(intake_of(CLUSTERS).manager)
    with pytest.raises(InvalidArgument, match=r"new\.1") as caught:
        take(CLUSTERS, spec_with(cloudCredentials={"kind": "Stored", "name": "gen7"}))
    assert [v.field for v in caught.value.violations] == ["spec.cloudCredentials.name"]


def test_who_has_none_stored_cannot_go_back_to_them() -> None:
    take(CLUSTERS, SPEC)
    with pytest.raises(InvalidArgument) as caught:
        take(CLUSTERS, spec_with(cloudCredentials={"kind": "Stored", "name": "new.1"}))
    assert [v.field for v in caught.value.violations] == ["spec.cloudCredentials.kind"]
    assert stored().cloud_name == "cloud-a"


def test_a_reference_to_clouds_yaml_replaces_what_was_stored() -> None:
    with_stored_credentials(intake_of(CLUSTERS).manager)
    take(CLUSTERS, SPEC)
    cluster = stored()
    assert cluster.cloud_name == "cloud-a"
    assert (cluster.auth_url, cluster.username, cluster.project_name) == ("", "", "")
    assert cluster.encrypted_password == ""


def test_a_kind_of_credentials_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidArgument) as caught:
        take(CLUSTERS, spec_with(cloudCredentials={"kind": "Secret", "name": "s"}))
    assert [v.field for v in caught.value.violations] == ["spec.cloudCredentials.kind"]


def test_a_cluster_is_drained_and_retired_by_its_manifest() -> None:
    take(CLUSTERS, SPEC)
    for state in ("Draining", "Retired"):
        take(CLUSTERS, spec_with(state=state))
        assert stored().state == state
        assert AuditEntry.objects.latest("pk").method == "SetOpenStackClusterState"
        manifest = shown(CLUSTERS)
        assert manifest is not None
        assert manifest.spec["state"] == state
        assert manifest.conditions[0].message.startswith(f"{state}: ")


def test_a_state_comes_with_other_changes() -> None:
    take(CLUSTERS, spec_with(state="Cordoned"))
    take(CLUSTERS, spec_with(displayName="Old hardware", state="Draining"))
    assert (stored().display_name, stored().state) == ("Old hardware", "Draining")


def test_without_a_state_it_is_active() -> None:
    take(CLUSTERS, spec_with(state="Cordoned"))
    take(CLUSTERS, SPEC)
    assert stored().state == "Active"


@pytest.mark.parametrize(
    ("states", "words"),
    [(["Active", "Retired"], "cannot become Retired"), (["Retired"], "cannot become Retired")],
)
def test_a_transition_that_does_not_exist_is_refused(states: list[str], words: str) -> None:
    for state in states[:-1]:
        take(CLUSTERS, spec_with(state=state))
    with pytest.raises(FailedPrecondition, match=words) as caught:
        take(CLUSTERS, spec_with(state=states[-1], displayName="New"))
    assert [v.field for v in caught.value.violations] == ["spec.state"]
    # all or nothing
    assert not OpenStackCluster.objects.filter(resource_id="new.1", display_name="New").exists()


def test_a_cluster_in_which_something_is_left_is_not_retired() -> None:
    take(CLUSTERS, spec_with(state="Draining"))
    OpenStackSubnetFactory.create(cluster=stored(), managed=True)
    with pytest.raises(FailedPrecondition, match="1 OpenStackSubnet") as caught:
        take(CLUSTERS, spec_with(state="Retired"))
    assert [v.field for v in caught.value.violations] == ["spec.state"]
    assert stored().state == "Draining"


def test_its_zone_cannot_be_changed() -> None:
    take(CLUSTERS, SPEC)
    with pytest.raises(InvalidArgument) as caught:
        take(CLUSTERS, spec_with(availabilityZone="z2"))
    assert [(v.field, v.reason) for v in caught.value.violations] == [
        ("spec.availabilityZone", "IMMUTABLE")
    ]


def test_the_state_of_what_an_object_declares_is_changed_there_only() -> None:
    take(CLUSTERS, SPEC)
    with pytest.raises(FailedPrecondition, match=r"openstackclusters/new\.1"):
        set_openstack_cluster_state(actor=OPERATOR, resource_id="new.1", state="Draining")
    assert stored().state == "Active"


def test_the_configuration_of_rabbitmq_is_not_compared() -> None:
    take(CLUSTERS, SPEC)
    manifest = shown(CLUSTERS)
    assert manifest is not None
    assert CLUSTERS.agrees(manifest, spec_with(rabbitMQConfig={"name": "events"}))
