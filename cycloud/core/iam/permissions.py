"""The one table of who may do what: permission -> the smallest role that has it. Pure.

A permission is ``<service>.<collection>.<method>``, after the proto package, the collection's name in
paths and the method (AIP-131 to 136) in lower case. Each role has what the roles before it have; a platform
operator has every permission in every project. ``docs/iam.md`` shows the table, and
``tests/parity/test_matrix.py`` tries every cell of it.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from cycloud.core.iam.actor import Role

__all__ = ["PERMISSIONS", "Holder", "holder_of", "permission_of", "role_has"]


class Holder(StrEnum):
    """Who has a permission: everybody who is signed in, a role in the project, or operators only."""

    EVERYONE = "everyone"
    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"
    OPERATOR = "operator"


_RANK: Final = {Role.VIEWER: 1, Role.EDITOR: 2, Role.ADMIN: 3}
_NEEDED: Final = {
    Holder.EVERYONE: 0,
    Holder.VIEWER: 1,
    Holder.EDITOR: 2,
    Holder.ADMIN: 3,
    Holder.OPERATOR: 4,
}

PERMISSIONS: Final[Mapping[str, Holder]] = {
    "compute.instances.list": Holder.VIEWER,
    "compute.instances.get": Holder.VIEWER,
    "compute.instances.create": Holder.EDITOR,
    "compute.instances.update": Holder.EDITOR,
    "compute.instances.delete": Holder.EDITOR,
    "compute.instances.start": Holder.EDITOR,
    "compute.instances.stop": Holder.EDITOR,
    "compute.instances.restart": Holder.EDITOR,
    "compute.instances.attachVolume": Holder.EDITOR,
    "compute.instances.detachVolume": Holder.EDITOR,
    "compute.volumes.list": Holder.VIEWER,
    "compute.volumes.get": Holder.VIEWER,
    "compute.volumes.create": Holder.EDITOR,
    "compute.volumes.update": Holder.EDITOR,
    "compute.volumes.delete": Holder.EDITOR,
    "compute.volumes.undelete": Holder.EDITOR,
    "compute.volumes.grow": Holder.EDITOR,
    "compute.quotas.list": Holder.VIEWER,
    "compute.quotas.get": Holder.VIEWER,
    "compute.quotas.update": Holder.OPERATOR,
    # giving up what cannot be removed in order: operators' pages only
    "compute.finalizers.remove": Holder.OPERATOR,
    "networking.vpcs.list": Holder.VIEWER,
    "networking.vpcs.get": Holder.VIEWER,
    "networking.vpcs.create": Holder.EDITOR,
    "networking.vpcs.update": Holder.EDITOR,
    "networking.vpcs.delete": Holder.EDITOR,
    "networking.subnets.list": Holder.VIEWER,
    "networking.subnets.get": Holder.VIEWER,
    "networking.subnets.create": Holder.EDITOR,
    "networking.subnets.update": Holder.EDITOR,
    "networking.subnets.delete": Holder.EDITOR,
    "networking.networkInterfaces.list": Holder.VIEWER,
    "networking.networkInterfaces.get": Holder.VIEWER,
    "networking.networkInterfaces.create": Holder.EDITOR,
    "networking.networkInterfaces.update": Holder.EDITOR,
    "networking.networkInterfaces.delete": Holder.EDITOR,
    # which network of a cluster a subnet is: operators' pages only
    "networking.openStackSubnets.map": Holder.OPERATOR,
    "catalog.availabilityZones.list": Holder.EVERYONE,
    "catalog.availabilityZones.get": Holder.EVERYONE,
    "catalog.availabilityZones.create": Holder.OPERATOR,
    "catalog.availabilityZones.update": Holder.OPERATOR,
    "catalog.availabilityZones.delete": Holder.OPERATOR,
    "catalog.instanceFamilies.list": Holder.EVERYONE,
    "catalog.instanceFamilies.get": Holder.EVERYONE,
    "catalog.instanceFamilies.create": Holder.OPERATOR,
    "catalog.instanceFamilies.update": Holder.OPERATOR,
    "catalog.instanceFamilies.delete": Holder.OPERATOR,
    "catalog.instanceTypes.list": Holder.EVERYONE,
    "catalog.instanceTypes.get": Holder.EVERYONE,
    "catalog.instanceTypes.create": Holder.OPERATOR,
    "catalog.instanceTypes.update": Holder.OPERATOR,
    "catalog.instanceTypes.delete": Holder.OPERATOR,
    "catalog.volumeTypes.list": Holder.EVERYONE,
    "catalog.volumeTypes.get": Holder.EVERYONE,
    "catalog.volumeTypes.create": Holder.OPERATOR,
    "catalog.volumeTypes.update": Holder.OPERATOR,
    "catalog.volumeTypes.delete": Holder.OPERATOR,
    "catalog.publicImages.list": Holder.EVERYONE,
    "catalog.publicImages.get": Holder.EVERYONE,
    "catalog.publicImages.create": Holder.OPERATOR,
    "catalog.publicImages.update": Holder.OPERATOR,
    "catalog.publicImages.delete": Holder.OPERATOR,
    "catalog.openStackClusters.list": Holder.OPERATOR,
    "catalog.openStackClusters.get": Holder.OPERATOR,
    "catalog.openStackClusters.create": Holder.OPERATOR,
    "catalog.openStackClusters.update": Holder.OPERATOR,
    "catalog.openStackClusters.delete": Holder.OPERATOR,
    "catalog.openStackClusters.setState": Holder.OPERATOR,
    "catalog.openStackClusters.rotateKeys": Holder.OPERATOR,
    # projects.list answers those that the caller is a member of
    "iam.projects.list": Holder.EVERYONE,
    "iam.projects.get": Holder.VIEWER,
    "iam.projects.create": Holder.OPERATOR,
    "iam.projects.update": Holder.ADMIN,
    "iam.projects.delete": Holder.OPERATOR,
    "iam.projects.testIamPermissions": Holder.EVERYONE,
    "iam.members.list": Holder.VIEWER,
    "iam.members.get": Holder.VIEWER,
    "iam.members.create": Holder.ADMIN,
    "iam.members.update": Holder.ADMIN,
    "iam.members.delete": Holder.ADMIN,
    "iam.serviceAccounts.list": Holder.VIEWER,
    "iam.serviceAccounts.get": Holder.VIEWER,
    "iam.serviceAccounts.create": Holder.ADMIN,
    "iam.serviceAccounts.update": Holder.ADMIN,
    "iam.serviceAccounts.delete": Holder.ADMIN,
    "iam.serviceAccountKeys.list": Holder.ADMIN,
    "iam.serviceAccountKeys.get": Holder.ADMIN,
    "iam.serviceAccountKeys.create": Holder.ADMIN,
    "iam.serviceAccountKeys.delete": Holder.ADMIN,
    "iam.auditEntries.list": Holder.ADMIN,
    "iam.auditEntries.get": Holder.ADMIN,
    # one's own tokens; for another person only operators
    "iam.tokens.list": Holder.EVERYONE,
    "iam.tokens.get": Holder.EVERYONE,
    "iam.tokens.create": Holder.EVERYONE,
    "iam.tokens.createForOthers": Holder.OPERATOR,
    "iam.tokens.delete": Holder.EVERYONE,
    # whom the OpenID provider's people are: operators' pages only
    "iam.oidcIdentities.create": Holder.OPERATOR,
    "iam.oidcIdentities.delete": Holder.OPERATOR,
    # who declares a resource, the API or an object, and whose a namespace is: operators' pages and commands only
    "kubernetes.resources.adopt": Holder.OPERATOR,
    "kubernetes.resources.release": Holder.OPERATOR,
    "kubernetes.namespaces.bind": Holder.OPERATOR,
    "longrunning.operations.list": Holder.VIEWER,
    "longrunning.operations.get": Holder.VIEWER,
    "longrunning.operations.wait": Holder.VIEWER,
    "longrunning.operations.cancel": Holder.EDITOR,
    "longrunning.operations.delete": Holder.EDITOR,
}

_SERVICES: Final = {
    permission.split(".")[1]: permission.split(".")[0] for permission in PERMISSIONS
}
# methods that need another permission than the one of their own name
_METHODS: Final = {
    "openStackClusters.activate": "catalog.openStackClusters.setState",
    "openStackClusters.cordon": "catalog.openStackClusters.setState",
    "openStackClusters.drain": "catalog.openStackClusters.setState",
    "openStackClusters.retire": "catalog.openStackClusters.setState",
    "keys.list": "iam.serviceAccountKeys.list",
    "keys.get": "iam.serviceAccountKeys.get",
    "keys.create": "iam.serviceAccountKeys.create",
    "keys.delete": "iam.serviceAccountKeys.delete",
}


def holder_of(permission: str) -> Holder:
    """Return who has a permission. Raises KeyError for one that the table does not have."""
    return PERMISSIONS[permission]


def role_has(role: Role | None, permission: str) -> bool:
    """Tell whether ``role`` in a project (None: no member) has a permission there. Raises KeyError."""
    rank = 0 if role is None else _RANK[role]
    return _NEEDED[holder_of(permission)] <= rank


def permission_of(collection: str, method: str) -> str:
    """Return the permission that a method of a collection needs, by their names in paths.

    ``method``: list, get, create, update, delete, watch (a list that goes on), or a custom method's name.
    Raises KeyError where the table has none: every method must have one.
    """
    if method == "watch":
        method = "list"
    name = f"{collection}.{method}"
    permission = _METHODS.get(name) or f"{_SERVICES[collection]}.{name}"
    holder_of(permission)
    return permission
