"""The demo project: its users, network, and the token of the tour."""

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from django.db import transaction

from cycloud.core.aip.errors import AlreadyExists
from cycloud.core.clock import now
from cycloud.core.iam.access import audit
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import ApiToken, User
from cycloud.core.iam.services.members import add_member
from cycloud.core.iam.services.projects import create_project
from cycloud.core.iam.services.tokens import TokenInput, create_token
from cycloud.core.iam.tokens import digest_of, looks_like_token
from cycloud.embedded.seed_catalog import ZONE
from networking.services.subnets import SubnetInput, create_subnet
from networking.services.vpcs import VpcInput, create_vpc

__all__ = ["PROJECT", "Users", "seed_network", "seed_token", "seed_users"]

PROJECT = "demo"
DEMO_USER, OPERATOR = "demo", "operator"
VPC = SUBNET = "default"
CIDR = "10.0.1.0/24"
TOKEN_LIFETIME = timedelta(days=90)


@dataclass
class Users:
    """``passwords``: of users made just now; they are kept only as hashes, and are in no repr."""

    created: list[str] = field(default_factory=list)
    passwords: dict[str, str] = field(default_factory=dict, repr=False)


def seed_users(actor: Actor) -> Users:
    """Make the demo project and two users where they are missing, with new random passwords."""
    made = Users()
    with suppress(AlreadyExists):
        project = create_project(actor=actor, project_id=PROJECT, display_name="Demo")
        made.created.append(project.name)
    with transaction.atomic():
        if _make_user(actor, made, DEMO_USER, operator=False):
            add_member(
                actor=actor,
                project_id=PROJECT,
                member_id=f"user-{DEMO_USER}",
                role=Role.EDITOR.value,
            )
    with transaction.atomic():
        _make_user(actor, made, OPERATOR, operator=True)
    return made


def _make_user(actor: Actor, made: Users, username: str, *, operator: bool) -> bool:
    """Make the user; return False if there is one of that name, who stays as they are."""
    if User.objects.filter(username=username).exists():
        return False
    password = secrets.token_urlsafe(12)
    User.objects.create_user(username, password=password, is_staff=operator, is_superuser=operator)
    audit(actor, "CreateUser", f"users/{username}")
    made.created.append(f"users/{username}")
    made.passwords[username] = password
    return True


def seed_network(actor: Actor) -> Iterator[str]:
    """Make the VPC and its subnet where they are missing; yield the names of what was made."""
    try:
        create_vpc(
            actor=actor, project_id=PROJECT, vpc_id=VPC, data=VpcInput(display_name="Default")
        )
        yield f"projects/{PROJECT}/vpcs/{VPC}"
    except AlreadyExists:
        pass
    try:
        create_subnet(
            actor=actor,
            project_id=PROJECT,
            subnet_id=SUBNET,
            data=SubnetInput(vpc=VPC, availability_zone=ZONE, cidr=CIDR, display_name="Default"),
        )
        yield f"projects/{PROJECT}/subnets/{SUBNET}"
    except AlreadyExists:
        pass


def seed_token(actor: Actor, path: Path) -> Iterator[str]:
    """See to it that ``path``, which only its user reads, holds a good token of the demo user.

    A file whose token is unknown, revoked or about to expire gets a new one.
    """
    if _is_good(path):
        return
    if not User.objects.filter(username=DEMO_USER, is_active=True).exists():
        # somebody removed the demo user: there is no tour then
        return
    data = TokenInput(
        owner=f"users/{DEMO_USER}",
        display_name="The tour in the README",
        project_id=PROJECT,
        life=TOKEN_LIFETIME,
    )
    secret = create_token(actor=actor, data=data).secret
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secret + "\n")
    yield f"token in {path.name}"


def _is_good(path: Path) -> bool:
    try:
        secret = path.read_text().strip()
    except FileNotFoundError:
        return False
    return (
        looks_like_token(secret)
        and ApiToken.objects.filter(
            digest=digest_of(secret),
            revoke_time__isnull=True,
            expire_time__gt=now() + timedelta(days=1),
        ).exists()
    )
