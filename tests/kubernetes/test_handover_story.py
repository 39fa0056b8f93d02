"""A resource goes from the API to its object and back, with the passes of the sync in between."""

from collections.abc import Iterator
from typing import Any

import pytest

from catalog.kubernetes.apis import INSTANCE_TYPE
from catalog.models import InstanceType
from catalog.services.instance_types import update_instance_type
from cycloud.core.aip.errors import FailedPrecondition
from cycloud.kubernetes.handover import adopt, release
from cycloud.kubernetes.objects import FINALIZER, MANAGER_LABEL
from tests.factories.catalog import InstancePlacementFactory
from tests.factories.iam import OPERATOR
from tests.kubernetes.conftest import Sync
from tests.support.kubernetes.server import ApiServer, serving
from tests.support.kubernetes.store import Json, Ref, Store

REF = Ref(INSTANCE_TYPE.group, INSTANCE_TYPE.version, INSTANCE_TYPE.plural, "", "m8a.medium")
NAME = "instanceTypes/m8a.medium"


@pytest.fixture
def api(settings: Any) -> Iterator[ApiServer]:
    settings.CYCLOUD_KUBERNETES_ENABLED = True
    settings.CYCLOUD_MIRRORS = ["cycloud.kubernetes.marks.mark_changed"]
    with serving(Store(), {(INSTANCE_TYPE.group, INSTANCE_TYPE.plural)}) as server:
        yield server


@pytest.fixture
def sync(db: None, api: ApiServer) -> Sync:
    """The sync of the real kinds, with an instance type that is in Kubernetes already."""
    InstancePlacementFactory.create(
        instance_type__resource_id="m8a.medium", instance_type__family__resource_id="m8a"
    )
    sync = Sync()
    sync.run(NAME, "InstanceType")
    return sync


def found(api: ApiServer) -> Json:
    return api.store.get(REF)


def apply(api: ApiServer, vcpus: int) -> None:
    """Apply the whole object with another number of CPUs, as a GitOps tool does."""
    spec = {**found(api)["spec"], "cpuInfo": {"vcpus": vcpus}}
    body = {
        "apiVersion": INSTANCE_TYPE.api_version,
        "kind": INSTANCE_TYPE.kind,
        "metadata": {"name": "m8a.medium"},
        "spec": spec,
    }
    api.store.apply(REF, body, "flux")


def vcpus() -> int:
    return InstanceType.objects.get().vcpus


def test_an_adopted_resource_follows_its_object_and_keeps_all_at_first(
    sync: Sync, api: ApiServer
) -> None:
    before = found(api)
    assert before["metadata"]["labels"] == {MANAGER_LABEL: "api"}
    adopt(actor=OPERATOR, kind="InstanceType", name=NAME)
    sync.drain()
    after = found(api)
    assert after["spec"] == before["spec"]
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["metadata"]["labels"] == {MANAGER_LABEL: "kubernetes"}
    assert after["metadata"]["finalizers"] == [FINALIZER]
    assert vcpus() == 2

    apply(api, 4)
    sync.run(NAME, "InstanceType")
    assert vcpus() == 4
    with pytest.raises(FailedPrecondition) as refused:
        update_instance_type(actor=OPERATOR, resource_id="m8a.medium", changes={"vcpus": 8})
    assert refused.value.reason == "MANAGED_BY_KUBERNETES"


def test_a_released_resource_is_the_apis_and_what_others_apply_is_put_back(
    sync: Sync, api: ApiServer
) -> None:
    adopt(actor=OPERATOR, kind="InstanceType", name=NAME)
    sync.drain()
    apply(api, 4)
    sync.run(NAME, "InstanceType")
    release(actor=OPERATOR, kind="InstanceType", name=NAME)
    sync.drain()
    assert found(api)["metadata"]["labels"] == {MANAGER_LABEL: "api"}
    assert not found(api)["metadata"].get("finalizers")
    assert vcpus() == 4

    apply(api, 16)
    sync.run(NAME, "InstanceType")
    assert vcpus() == 4
    assert found(api)["spec"]["cpuInfo"]["vcpus"] == 4

    update_instance_type(actor=OPERATOR, resource_id="m8a.medium", changes={"vcpus": 8})
    sync.drain()
    assert found(api)["spec"]["cpuInfo"]["vcpus"] == 8


def test_an_object_that_is_applied_before_its_resource_is_handed_over_changes_nothing(
    sync: Sync, api: ApiServer
) -> None:
    apply(api, 4)
    sync.run(NAME, "InstanceType")
    assert (vcpus(), InstanceType.objects.get().managed_by) == (2, "")
    assert found(api)["spec"]["cpuInfo"]["vcpus"] == 2


def test_an_object_that_got_lost_before_the_adoption_is_written_once_more(
    sync: Sync, api: ApiServer
) -> None:
    spec = found(api)["spec"]
    api.store.wipe()
    adopt(actor=OPERATOR, kind="InstanceType", name=NAME)
    sync.drain()
    assert found(api)["spec"] == spec
    assert InstanceType.objects.count() == 1


def test_after_a_release_deleting_the_object_does_not_delete_the_resource(
    sync: Sync, api: ApiServer
) -> None:
    adopt(actor=OPERATOR, kind="InstanceType", name=NAME)
    sync.drain()
    api.store.delete(REF)
    assert "deletionTimestamp" in found(api)["metadata"]
    release(actor=OPERATOR, kind="InstanceType", name=NAME)
    sync.drain()
    sync.run(NAME, "InstanceType")
    assert InstanceType.objects.get().managed_by == ""
    assert found(api)["metadata"]["labels"] == {MANAGER_LABEL: "api"}
    assert "deletionTimestamp" not in found(api)["metadata"]
