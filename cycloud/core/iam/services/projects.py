"""Verbs on projects. Operators make and delete them; a project's administrators rename it."""

from django.db.models import ProtectedError

from cycloud.core.aip.errors import AlreadyExists, FailedPrecondition
from cycloud.core.aip.names import check_resource_id
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.access import project_for, require_permission
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from cycloud.core.iam.services.changes import DEFAULT_OPTIONS, run_change
from cycloud.core.resources.metadata import check_display_name

__all__ = ["create_project", "delete_project", "update_project"]


def create_project(
    *,
    actor: Actor,
    project_id: str,
    display_name: str = "",
    options: WriteOptions = DEFAULT_OPTIONS,
) -> Project:
    """Make a project without members. Raises AlreadyExists, InvalidArgument, PermissionDenied."""
    require_permission(actor, "iam.projects.create")

    def write() -> Project:
        check_resource_id(project_id, "project_id")
        check_display_name(display_name)
        if Project.objects.filter(resource_id=project_id).exists():
            raise AlreadyExists(
                f"projects/{project_id} exists already. Choose another id.",
                resource=f"projects/{project_id}",
            )
        return Project.objects.create(resource_id=project_id, display_name=display_name)

    return run_change(
        write, actor=actor, method="CreateProject", name=lambda p: p.name, options=options
    )


def update_project(
    *,
    actor: Actor,
    project_id: str,
    display_name: str,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> Project:
    """Rename a project. Raises NotFound, PermissionDenied, InvalidArgument."""
    project = project_for(actor, project_id, "iam.projects.update")

    def write() -> Project:
        project.display_name = check_display_name(display_name)
        project.save(update_fields=["display_name"])
        return project

    return run_change(
        write, actor=actor, method="UpdateProject", name=lambda p: p.name, options=options
    )


def delete_project(
    *, actor: Actor, project_id: str, options: WriteOptions = DEFAULT_OPTIONS
) -> Project:
    """Delete a project that holds no resources, with its members, service accounts and tokens.

    Raises FailedPrecondition (PROJECT_NOT_EMPTY) otherwise.
    """
    project = project_for(actor, project_id, "iam.projects.delete")

    def write() -> Project:
        key = project.pk
        try:
            project.delete()
        except ProtectedError as error:
            kinds = sorted({str(row._meta.verbose_name_plural) for row in error.protected_objects})
            raise FailedPrecondition(
                f"{project.name} still holds {', '.join(kinds)}. Delete them first.",
                resource=project.name,
                reason="PROJECT_NOT_EMPTY",
            ) from None
        project.pk = key
        return project

    return run_change(
        write, actor=actor, method="DeleteProject", name=lambda p: p.name, options=options
    )
