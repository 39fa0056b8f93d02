import logging
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command

from catalog.models import OpenStackCluster
from catalog.selectors.cluster_access import cluster_access
from catalog.services.openstack_clusters import (
    OpenStackClusterInput,
    create_openstack_cluster,
    set_openstack_cluster_state,
    update_openstack_cluster,
)
from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument, PermissionDenied
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import AuditEntry
from tests.factories.catalog import (
    AvailabilityZoneFactory,
    InstancePlacementFactory,
    OpenStackClusterFactory,
)
from tests.factories.compute import OpenStackVolumeFactory
from tests.factories.iam import OPERATOR
from tests.factories.networking import OpenStackSubnetFactory

pytestmark = pytest.mark.django_db
WORD = "s3cret-word"


@pytest.fixture
def cluster() -> OpenStackCluster:
    AvailabilityZoneFactory.create(resource_id="z1")
    data = OpenStackClusterInput(
        "z1",
        "kvm-1",
        auth_url="http://127.0.0.1:5000/v3",
        username="u",
        project_name="p",
        password=WORD,
        compute_microversion="2.90",
    )
    return create_openstack_cluster(actor=OPERATOR, resource_id="gen7", data=data)


def update(**changes: Any) -> OpenStackCluster:
    return update_openstack_cluster(actor=OPERATOR, resource_id="gen7", changes=changes)


def state(name: str, wanted: str) -> OpenStackCluster:
    return set_openstack_cluster_state(actor=OPERATOR, resource_id=name, state=wanted)


def test_a_controller_gets_the_whole_access(cluster: OpenStackCluster) -> None:
    access = cluster_access(cluster)
    assert (access.key, access.revision) == (str(cluster.uid), 1)
    assert (access.username, access.password, access.project_name) == ("u", WORD, "p")
    assert access.compute_microversion == "2.90"
    assert WORD not in repr(access)


def test_a_password_is_nowhere_in_the_clear(
    cluster: OpenStackCluster, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        update(password="other-w0rd")
    stored = str(list(OpenStackCluster.objects.values())) + str(list(AuditEntry.objects.values()))
    for word in (WORD, "other-w0rd"):
        assert word not in stored + caplog.text


@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_password_keeps_the_stored_one(cluster: OpenStackCluster, empty: Any) -> None:
    changed = update(password=empty, username="v")
    assert cluster_access(changed).password == WORD
    assert changed.revision == 2
    assert cluster_access(update(password="new")).password == "new"


def test_credentials_by_name_leave_no_secret_behind(cluster: OpenStackCluster) -> None:
    changed = update(cloud_name="a", auth_url="", username="", project_name="")
    assert changed.encrypted_password == ""
    with pytest.raises(InvalidArgument, match="password"):
        update(cloud_name="", auth_url="http://x/v3", username="u", project_name="p")


def test_a_cluster_stays_in_its_zone(cluster: OpenStackCluster) -> None:
    AvailabilityZoneFactory.create(resource_id="z2")
    with pytest.raises(InvalidArgument, match="availability_zone"):
        update(availability_zone="z2")
    update(availability_zone="z1")


def test_a_cluster_is_drained_and_retired_when_it_is_empty(cluster: OpenStackCluster) -> None:
    # what operators wrote about it does not count
    InstancePlacementFactory.create(cluster=cluster)
    OpenStackSubnetFactory.create(cluster=cluster, managed=False)
    assert state("gen7", "Draining").revision == 2
    assert state("gen7", "Draining").revision == 2
    volume = OpenStackVolumeFactory.create(cluster=cluster)
    with pytest.raises(FailedPrecondition, match="OpenStackVolume") as caught:
        state("gen7", "Retired")
    assert caught.value.reason == "CLUSTER_NOT_EMPTY"
    binding = volume.binding
    volume.delete()
    binding.delete()
    assert state("gen7", "Retired").state == "Retired"
    with pytest.raises(FailedPrecondition):
        state("gen7", "Active")


def test_a_network_that_controllers_made_keeps_a_cluster_from_being_retired() -> None:
    row = OpenStackSubnetFactory.create(managed=True, cluster__state="Draining")
    with pytest.raises(FailedPrecondition, match="1 OpenStackSubnet"):
        state(row.cluster.resource_id, "Retired")


def test_a_dry_run_of_a_state_changes_nothing(cluster: OpenStackCluster) -> None:
    dry = WriteOptions(validate_only=True)
    shown = set_openstack_cluster_state(
        actor=OPERATOR, resource_id="gen7", state="Cordoned", options=dry
    )
    cluster.refresh_from_db()
    assert (shown.state, cluster.state) == ("Cordoned", "Active")


def test_only_operators_set_a_state(cluster: OpenStackCluster) -> None:
    with pytest.raises(PermissionDenied):
        set_openstack_cluster_state(actor=Actor("users/a"), resource_id="gen7", state="Draining")


def test_keys_are_rotated(cluster: OpenStackCluster, settings: Any) -> None:
    OpenStackClusterFactory.create()
    (old,) = settings.CYCLOUD_FIELD_KEYS
    new = Fernet.generate_key().decode()
    settings.CYCLOUD_FIELD_KEYS = [new, old]
    call_command("rotate_keys")
    settings.CYCLOUD_FIELD_KEYS = [new]
    cluster.refresh_from_db()
    assert cluster_access(cluster).password == WORD
    assert AuditEntry.objects.filter(method="RotateKeys", detail={"count": 1}).exists()


def test_rotation_without_the_old_key_names_the_cluster_and_changes_nothing(
    cluster: OpenStackCluster, settings: Any
) -> None:
    settings.CYCLOUD_FIELD_KEYS = [Fernet.generate_key().decode()]
    with pytest.raises(CommandError, match="openStackClusters/gen7"):
        call_command("rotate_keys")
    before = cluster.encrypted_password
    cluster.refresh_from_db()
    assert cluster.encrypted_password == before
