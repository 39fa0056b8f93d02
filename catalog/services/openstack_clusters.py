"""Verbs on clusters. Operators only; a password is never given back, logged or audited."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from catalog.domain.fields import with_changes
from catalog.domain.openstack_cluster import OpenStackClusterInput, check_transition
from catalog.models import OpenStackCluster
from catalog.selectors.cluster_use import objects_in_cluster
from catalog.services.changes import (
    check_new_id,
    delete_resource,
    lock_resource,
    run_change,
    save_changed,
)
from catalog.services.credentials import seal_password
from catalog.services.references import zone_by_id
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor

__all__ = [
    "OpenStackClusterInput",
    "create_openstack_cluster",
    "delete_openstack_cluster",
    "set_openstack_cluster_state",
    "update_openstack_cluster",
]

_DEFAULT = WriteOptions()
# fields of the input that are stored under the same name
_PLAIN = tuple(
    field.name
    for field in fields(OpenStackClusterInput)
    if field.name not in {"availability_zone", "password"}
)


def create_openstack_cluster(
    *, actor: Actor, resource_id: str, data: OpenStackClusterInput, options: WriteOptions = _DEFAULT
) -> OpenStackCluster:
    """Add a cluster, Active at once. Raises AlreadyExists, InvalidArgument, PermissionDenied."""

    def write() -> OpenStackCluster:
        check_new_id(OpenStackCluster, resource_id, "openstack_cluster_id")
        data.check(has_password=False)
        cluster = OpenStackCluster(
            resource_id=resource_id,
            availability_zone=zone_by_id(data.availability_zone, "availability_zone"),
            managed_by=options.manager,
        )
        _assign(cluster, data)
        cluster.save()
        return cluster

    return run_change(
        write,
        actor=actor,
        permission="catalog.openStackClusters.create",
        method="CreateOpenStackCluster",
        options=options,
    )


def update_openstack_cluster(
    *,
    actor: Actor,
    resource_id: str,
    changes: Mapping[str, Any],
    options: WriteOptions = _DEFAULT,
) -> OpenStackCluster:
    """Change the fields of OpenStackClusterInput that ``changes`` names; its zone stays.

    An empty or missing password keeps the stored one. The new revision makes workers connect anew.
    """

    def write() -> OpenStackCluster:
        cluster = lock_resource(OpenStackCluster, resource_id, options)
        current = _input_of(cluster)
        data = with_changes(current, changes)
        data.check(has_password=bool(cluster.encrypted_password))
        if data.availability_zone != current.availability_zone:
            raise InvalidArgument.field(
                "availability_zone",
                "a cluster's zone cannot be changed. Add another cluster.",
                "IMMUTABLE",
            )
        _assign(cluster, data)
        save_changed(cluster)
        return cluster

    return run_change(
        write,
        actor=actor,
        permission="catalog.openStackClusters.update",
        method="UpdateOpenStackCluster",
        options=options,
        detail={"fields": sorted(changes)},
    )


def set_openstack_cluster_state(
    *, actor: Actor, resource_id: str, state: str, options: WriteOptions = _DEFAULT
) -> OpenStackCluster:
    """Cordon, drain, retire or activate a cluster.

    Raises FailedPrecondition for a transition that does not exist, and for retiring a cluster in which
    something of ours is or may be.
    """

    def write() -> OpenStackCluster:
        cluster = lock_resource(OpenStackCluster, resource_id, options)
        remaining = objects_in_cluster(cluster) if state == "Retired" else {}
        check_transition(cluster.name, cluster.state, state, remaining)
        if cluster.state != state:
            cluster.state = state
            save_changed(cluster)
        return cluster

    return run_change(
        write,
        actor=actor,
        permission="catalog.openStackClusters.setState",
        method="SetOpenStackClusterState",
        options=options,
        detail={"state": state},
    )


def delete_openstack_cluster(
    *, actor: Actor, resource_id: str, options: WriteOptions = _DEFAULT
) -> OpenStackCluster:
    """Forget a cluster that nothing refers to. Raises FailedPrecondition otherwise."""
    return delete_resource(OpenStackCluster, actor=actor, resource_id=resource_id, options=options)


def _input_of(cluster: OpenStackCluster) -> OpenStackClusterInput:
    return OpenStackClusterInput(
        availability_zone=cluster.availability_zone.resource_id,
        **{name: getattr(cluster, name) for name in _PLAIN},
    )


def _assign(cluster: OpenStackCluster, data: OpenStackClusterInput) -> None:
    for name in _PLAIN:
        setattr(cluster, name, getattr(data, name))
    if data.cloud_name:
        # the credentials are elsewhere now: keep no secret that nobody uses
        cluster.encrypted_password = ""
    elif data.password:
        cluster.encrypted_password = seal_password(data.password)
