"""Who may do what: every cell of the table of permissions, for every method of every collection, over both faces.

The expectation comes from ``cycloud.core.iam.permissions`` alone. A call names a resource that is not there: who may
do it is told so (NOT_FOUND and the like), who may not is refused before.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from cycloud.core.aip.collection import Collection
from cycloud.core.aip.watch import is_watched
from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import AuditEntry
from cycloud.core.iam.permissions import (
    PERMISSIONS,
    Holder,
    holder_of,
    permission_of,
    role_has,
)
from cycloud.rpc import COLLECTIONS
from tests.factories.iam import (
    MembershipFactory,
    OperatorFactory,
    ProjectFactory,
    ServiceAccountFactory,
    UserFactory,
)
from tests.factories.rest import token_for
from tests.parity.faces import Face, MethodCall, methods_of, open_face

MISSING = "00000000-0000-4000-8000-000000000000"
# the least that a method takes as a request that is well-formed
BODIES: Mapping[str, Mapping[str, Any]] = {
    "availabilityZones.update": {"display_name": "x"},
    "instanceFamilies.update": {"display_name": "x"},
    "instanceTypes.create": {"family": "x", "vcpus": 1, "memory_mib": 1024},
    "instanceTypes.update": {"display_name": "x"},
    "volumeTypes.update": {"display_name": "x"},
    "publicImages.create": {"minimum_size": "1Gi"},
    "publicImages.update": {"display_name": "x"},
    "openStackClusters.create": {
        "availability_zone": "x",
        "controller_name": "x",
        "auth_url": "https://x.example.com",
    },
    "openStackClusters.update": {"display_name": "x"},
    "projects.update": {"display_name": "x"},
    "projects.testIamPermissions": {"permissions": ["compute.instances.get"]},
    "members.create": {"role": "viewer"},
    "members.update": {"role": "viewer"},
    "serviceAccounts.update": {"display_name": "x"},
    "quotas.update": {"limit": 5},
    "vpcs.update": {"display_name": "x"},
    "subnets.create": {"vpc": "x", "cidr": "10.0.0.0/24", "availability_zone": "x"},
    "subnets.update": {"display_name": "x"},
    "networkInterfaces.create": {"subnet": "x"},
    "networkInterfaces.update": {"display_name": "x"},
    "instances.create": {"instance_type": "x", "availability_zone": "x"},
    "instances.update": {"display_name": "x"},
    "instances.attachVolume": {"volume": "x"},
    "instances.detachVolume": {"volume": "x"},
    "volumes.create": {"volume_type": "x", "size": "1Gi", "availability_zone": "x"},
    "volumes.update": {"display_name": "x"},
    "volumes.grow": {"size": "2Gi"},
}
# what nobody may choose, or what is told by a number
IDS: Mapping[str, str] = {
    "projects": "p",
    "members": "user-nobody",
    "keys": MISSING,
    "tokens": MISSING,
    "auditEntries": MISSING,
    "operations": MISSING,
    "quotas": "nothing",
}
CHOSEN_BY_THE_SERVER = ("keys", "tokens")
# an answer to who may
ANSWERED = {"OK", "NOT_FOUND", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "ALREADY_EXISTS"}


@dataclass(frozen=True)
class Who:
    """One column: a token, and the rights that it should give in the project."""

    secret: str
    role: Role | None = None
    is_operator: bool = False
    is_narrowed: bool = False


@pytest.fixture
def columns(db: None) -> dict[str, Who]:
    """Everybody who may come, by a word for them."""
    project = ProjectFactory.create(resource_id="p")
    other = ProjectFactory.create(resource_id="other")
    ServiceAccountFactory.create(project=project, resource_id="robot")
    found = {"nobody": Who("")}
    for role in Role:
        user = UserFactory.create(username=role.value)
        MembershipFactory.create(project=project, user=user, role=role.value)
        found[role.value] = Who(token_for(user), role)
    MembershipFactory.create(project=other, user=user, role="admin")
    operator, stranger = OperatorFactory.create(), UserFactory.create()
    MembershipFactory.create(project=other, user=stranger, role="admin")
    robot = ServiceAccountFactory.create(project=project)
    MembershipFactory.create(project=project, user=None, service_account=robot, role="editor")
    return {
        **found,
        "an administrator elsewhere": Who(token_for(stranger)),
        "a service account": Who(token_for(None, user=None, service_account=robot), Role.EDITOR),
        "an operator": Who(token_for(operator), is_operator=True),
        "an administrator's token for viewing": Who(
            token_for(user, role="viewer"), Role.VIEWER, is_narrowed=True
        ),
        "an administrator's token for elsewhere": Who(
            token_for(user, project=other), is_narrowed=True
        ),
        "an operator's token for editing here": Who(
            token_for(operator, project=project, role="editor"), Role.EDITOR, is_narrowed=True
        ),
        "an operator's token for elsewhere": Who(
            token_for(operator, project=other), is_narrowed=True
        ),
    }


@pytest.fixture(params=["rest", "grpc"])
def face(request: pytest.FixtureRequest, db: None) -> Iterator[Face]:
    with open_face(request.param) as opened:
        yield opened


def expected(call: MethodCall, permission: str, who: Who) -> str:
    """Return the code that the table foretells; "" for an answer to who may."""
    collection, method = call.collection, call.method
    if not who.secret:
        return "UNAUTHENTICATED"
    if permission == "iam.tokens.create" and who.is_narrowed:
        return "PERMISSION_DENIED"
    if who.is_operator or holder_of(permission) is Holder.EVERYONE:
        return ""
    about_a_project = collection.in_project or (
        collection.name == "projects" and method != "create"
    )
    if about_a_project and who.role is None:
        return "NOT_FOUND"
    return "" if about_a_project and role_has(who.role, permission) else "PERMISSION_DENIED"


def call_of(collection: Collection[Any], method: str) -> MethodCall:
    resource_id = IDS.get(collection.name, "thing")
    if method == "create":
        resource_id = "" if collection.name in CHOSEN_BY_THE_SERVER else resource_id
        resource_id = "new" if collection.name == "projects" else resource_id
    return MethodCall(
        collection,
        method,
        parent_id="robot",
        resource_id=resource_id,
        body=BODIES.get(f"{collection.name}.{method}", {}),
    )


METHODS = [
    pytest.param(collection, method, id=f"{collection.name}.{method}")
    for collection in COLLECTIONS
    for method in methods_of(collection)
]


@pytest.mark.parametrize(("collection", "method"), METHODS)
def test_every_cell_of_the_table(
    face: Face, columns: dict[str, Who], collection: Collection[Any], method: str
) -> None:
    permission = permission_of(collection.name, method)
    call = call_of(collection, method)
    is_read = method in {"list", "get", *collection.read_verbs}
    wrong = []
    for word, who in columns.items():
        # a project that an operator deletes is gone for those after
        if permission == "iam.projects.delete" and who.is_operator:
            continue
        audited = AuditEntry.objects.count()
        outcome = face.call(call, who.secret)
        want = expected(call, permission, who)
        if want == "NOT_FOUND":
            is_right = outcome.reason == "PROJECT_NOT_FOUND"
        elif want:
            is_right = outcome.code == want
        else:
            is_right = outcome.code in ANSWERED and outcome.reason != "PROJECT_NOT_FOUND"
        if not is_right:
            wrong.append(f"{word}: {outcome.code} {outcome.reason}, not {want or 'an answer'}")
        rows = AuditEntry.objects.count() - audited
        if rows != (0 if is_read or not who.secret else 1):
            wrong.append(f"{word}: {rows} rows in the audit log")
    assert wrong == []


@pytest.mark.parametrize(
    "collection", [c for c in COLLECTIONS if is_watched(c)], ids=lambda collection: collection.name
)
def test_a_watch_is_for_who_may_list(
    face: Face, columns: dict[str, Who], collection: Collection[Any]
) -> None:
    call = MethodCall(collection, "watch")
    permission = permission_of(collection.name, "watch")
    refused = {word: who for word, who in columns.items() if expected(call, permission, who)}
    assert len(refused) == 4
    for word, who in refused.items():
        outcome = face.refused_watch(call, who.secret)
        wanted = "PROJECT_NOT_FOUND" if who.secret else "CREDENTIALS_MISSING"
        assert outcome.reason == wanted, word


def test_every_method_has_a_permission_and_every_permission_a_use() -> None:
    of_methods = {
        permission_of(collection.name, method)
        for collection in COLLECTIONS
        for method in methods_of(collection)
    }
    assert of_methods <= set(PERMISSIONS)
    assert set(PERMISSIONS) - of_methods <= permissions_in_code()


def test_the_code_asks_for_no_permission_that_the_table_lacks() -> None:
    assert permissions_in_code() - set(PERMISSIONS) == set()


def permissions_in_code() -> set[str]:
    """Return the permissions that services and selectors name: texts like ``compute.instances.create``."""
    services = {permission.split(".")[0] for permission in PERMISSIONS}
    collections = {permission.split(".")[1] for permission in PERMISSIONS}
    found = set()
    root = Path(settings.BASE_DIR)
    for folder in ("cycloud", "catalog", "networking", "compute"):
        for file in (root / folder).rglob("*.py"):
            if file.name == "permissions.py":
                continue
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    parts = node.value.split(".")
                    if (
                        len(parts) == 3
                        and all(parts)
                        and parts[0] in services
                        and parts[1] in collections
                    ):
                        found.add(node.value)
    return found
