"""REST: members of a project, named ``user-<username>`` and ``service-account-<id>``."""

from django.db.models import QuerySet

from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json, Result
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.filters import Field, Kind
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Membership
from cycloud.core.iam.selectors import get_member, list_members, member_id_of
from cycloud.core.iam.services.members import add_member, remove_member, set_role
from cycloud.iam.v1 import member_pb2


class Members(Collection[Membership]):
    name = "members"
    kind = "Member"
    message = member_pb2.Member.DESCRIPTOR.full_name
    remembers_requests = False
    id_parameter = "member_id"
    list_key = "members"
    updatable = frozenset({"role"})
    output_only = frozenset({"principal"})
    orders = {}
    default_order = ("member_key",)
    filters = {"role": Field("role", Kind.ENUM)}

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[Membership]:
        return list_members(actor=call.actor, project_id=call.project_id)

    def find(self, call: Call, resource_id: str) -> Membership:
        return get_member(actor=call.actor, project_id=call.project_id, member_id=resource_id)

    def to_json(self, resource: Membership, actor: Actor) -> Json:
        member_id = member_id_of(resource)
        if resource.user is not None:
            principal = f"users/{resource.user.get_username()}"
        else:
            account_id = member_id.removeprefix("service-account-")
            principal = f"serviceAccounts/{resource.project.resource_id}/{account_id}"
        return {
            "name": f"{resource.project.name}/members/{member_id}",
            "principal": principal,
            "role": resource.role,
        }

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[Membership]:
        role = body.text("role")
        body.finish()
        if not resource_id:
            raise InvalidArgument.field("member_id", "is missing; it is required.", "REQUIRED")
        return add_member(
            actor=call.actor,
            project_id=call.project_id,
            member_id=resource_id,
            role=role,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[Membership]:
        if not body.has("role"):
            body.finish()
            return self.find(call, resource_id)
        role = body.text("role")
        body.finish()
        return set_role(
            actor=call.actor,
            project_id=call.project_id,
            member_id=resource_id,
            role=role,
            options=call.options,
        )

    def delete(self, call: Call, resource_id: str) -> Result[Membership]:
        remove_member(
            actor=call.actor,
            project_id=call.project_id,
            member_id=resource_id,
            options=call.options,
        )
        return None
