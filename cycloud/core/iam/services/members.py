"""Verbs on the members of a project. Its administrators and operators only."""

from collections.abc import Callable

from cycloud.core.aip.errors import AlreadyExists, FailedPrecondition, InvalidArgument
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import Membership, Project, ServiceAccount, User
from cycloud.core.iam.selectors import SERVICE_ACCOUNT, USER, get_member, member_id_of
from cycloud.core.iam.services.changes import DEFAULT_OPTIONS, run_change

__all__ = ["add_member", "remove_member", "set_role"]


def add_member(
    *,
    actor: Actor,
    project_id: str,
    member_id: str,
    role: str,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> Membership:
    """Make ``user-<username>`` or ``service-account-<id>`` (of this project) a member.

    Raises AlreadyExists, InvalidArgument, NotFound, PermissionDenied.
    """
    project = project_for(actor, project_id, "iam.members.create")

    def write() -> Membership:
        membership = _new_membership(project, member_id)
        membership.role = _role(role).value
        owner = {"user": membership.user, "service_account": membership.service_account}
        if Membership.objects.filter(project=project, **owner).exists():
            raise AlreadyExists(
                f"{project.name}/members/{member_id} exists already. Change its role instead.",
                resource=f"{project.name}/members/{member_id}",
            )
        membership.save()
        return membership

    return _run(write, actor, "CreateMember", options, {"role": role[:16]})


def set_role(
    *,
    actor: Actor,
    project_id: str,
    member_id: str,
    role: str,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> Membership:
    """Change a member's role. Raises FailedPrecondition (LAST_ADMIN) where no administrator would be left."""
    project_for(actor, project_id, "iam.members.update")

    def write() -> Membership:
        membership = get_member(actor=actor, project_id=project_id, member_id=member_id)
        wanted = _role(role)
        if wanted is not Role.ADMIN:
            _keep_an_admin(actor, membership)
        membership.role = wanted.value
        membership.save(update_fields=["role"])
        return membership

    return _run(write, actor, "UpdateMember", options, {"role": role[:16]})


def remove_member(
    *, actor: Actor, project_id: str, member_id: str, options: WriteOptions = DEFAULT_OPTIONS
) -> Membership:
    """End a membership. Raises FailedPrecondition (LAST_ADMIN) where no administrator would be left."""
    project_for(actor, project_id, "iam.members.delete")

    def write() -> Membership:
        membership = get_member(actor=actor, project_id=project_id, member_id=member_id)
        _keep_an_admin(actor, membership)
        key = membership.pk
        membership.delete()
        membership.pk = key
        return membership

    return _run(write, actor, "DeleteMember", options, {})


def _run(
    write: Callable[[], Membership],
    actor: Actor,
    method: str,
    options: WriteOptions,
    detail: dict[str, str],
) -> Membership:
    return run_change(
        write,
        actor=actor,
        method=method,
        name=lambda m: f"{m.project.name}/members/{member_id_of(m)}",
        options=options,
        detail=detail,
    )


def _role(text: str) -> Role:
    try:
        return Role(text)
    except ValueError:
        known = ", ".join(role.value for role in Role)
        raise InvalidArgument.field("role", f"{text[:40]!r} is none of {known}.") from None


def _new_membership(project: Project, member_id: str) -> Membership:
    if member_id.startswith(USER):
        user = User.objects.filter(username=member_id.removeprefix(USER), is_active=True).first()
        if user is not None:
            return Membership(project=project, user=user)
    elif member_id.startswith(SERVICE_ACCOUNT):
        account = ServiceAccount.objects.filter(
            project=project, resource_id=member_id.removeprefix(SERVICE_ACCOUNT)
        ).first()
        if account is not None:
            return Membership(project=project, service_account=account)
    raise InvalidArgument.field(
        "member_id",
        f"{member_id[:80]!r} is nobody who can be a member. Use 'user-' with a user name, or "
        "'service-account-' with the id of a service account of this project.",
        "UNKNOWN_PRINCIPAL",
    )


def _keep_an_admin(actor: Actor, membership: Membership) -> None:
    """Operators may leave a project without an administrator: they can add one again."""
    if actor.is_operator or membership.role != Role.ADMIN.value:
        return
    # all rows of the project's administrators are locked, so that two cannot remove each other
    admins = Membership.objects.select_for_update().filter(
        project=membership.project, role=Role.ADMIN.value
    )
    if {row.pk for row in admins} <= {membership.pk}:
        raise FailedPrecondition(
            f"This is the last administrator of {membership.project.name}. Make somebody else one first.",
            resource=membership.project.name,
            reason="LAST_ADMIN",
        )
