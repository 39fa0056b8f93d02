"""REST: projects. Their writes are done at once and answer the resource."""

from django.db.models import QuerySet

from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json, Result
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.filters import Field, Kind
from cycloud.core.aip.representation import time_text
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from cycloud.core.iam.selectors import held_permissions, list_projects
from cycloud.core.iam.services.projects import create_project, delete_project, update_project
from cycloud.iam.v1 import project_pb2


class Projects(Collection[Project]):
    name = "projects"
    kind = "Project"
    message = project_pb2.Project.DESCRIPTOR.full_name
    in_project = False
    remembers_requests = False
    id_parameter = "project_id"
    list_key = "projects"
    updatable = frozenset({"display_name"})
    default_order = ("resource_id",)
    verbs = read_verbs = frozenset({"testIamPermissions"})
    filters = {
        "name": Field("resource_id"),
        "display_name": Field("display_name"),
        "create_time": Field("create_time", Kind.TIME),
    }

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[Project]:
        return list_projects(actor=call.actor)

    def find(self, call: Call, resource_id: str) -> Project:
        return project_for(call.actor, resource_id, "iam.projects.get")

    def to_json(self, resource: Project, actor: Actor) -> Json:
        return {
            "name": resource.name,
            "uid": str(resource.uid),
            "display_name": resource.display_name,
            "create_time": time_text(resource.create_time),
        }

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[Project]:
        display_name = body.text("display_name", "")
        body.finish()
        if not resource_id:
            raise InvalidArgument.field("project_id", "is missing; it is required.", "REQUIRED")
        return create_project(
            actor=call.actor,
            project_id=resource_id,
            display_name=display_name,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[Project]:
        if not body.has("display_name"):
            body.finish()
            return self.find(call, resource_id)
        display_name = body.text("display_name", "")
        body.finish()
        return update_project(
            actor=call.actor,
            project_id=resource_id,
            display_name=display_name,
            options=call.options,
        )

    def run_verb(self, verb: str, call: Call, resource_id: str, body: Body) -> Result[Project]:
        permissions = body.texts("permissions")
        body.finish()
        held = held_permissions(actor=call.actor, project_id=resource_id, permissions=permissions)
        return {"permissions": held}

    def delete(self, call: Call, resource_id: str) -> Result[Project]:
        delete_project(actor=call.actor, project_id=resource_id, options=call.options)
        return None
