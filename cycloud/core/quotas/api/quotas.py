"""Quotas of a project, over both faces: there is always one of each kind, and operators change the limits."""

from collections.abc import Sequence
from typing import Any

from cycloud.compute.v1 import quota_pb2
from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json
from cycloud.core.aip.filters import Field, Kind
from cycloud.core.iam.actor import Actor
from cycloud.core.quotas.quota import Quota
from cycloud.core.quotas.selectors import get_quota, list_quotas
from cycloud.core.quotas.services import set_quota_limit

__all__ = ["Quotas"]


class Quotas(Collection[Any]):
    """``/v1/projects/{project}/quotas``."""

    name = "quotas"
    kind = "Quota"
    message = quota_pb2.Quota.DESCRIPTOR.full_name
    remembers_requests = False
    id_parameter = "quota_id"
    list_key = "quotas"
    updatable = frozenset({"limit"})
    output_only = frozenset({"usage", "unit"})
    orders = {"name": "name"}
    default_order = ("name",)
    filters = {
        "name": Field("", Kind.NAME, collection="quotas", project="project"),
        "limit": Field("", Kind.NUMBER),
        "usage": Field("", Kind.NUMBER),
        "unit": Field("", Kind.ENUM),
        "conditions": Field("", Kind.CONDITIONS),
    }

    def items(self, call: Call) -> Sequence[Quota]:
        return list_quotas(actor=call.actor, project_id=call.project_id)

    def find(self, call: Call, resource_id: str) -> Quota:
        return get_quota(actor=call.actor, project_id=call.project_id, quota_id=resource_id)

    def to_json(self, resource: Quota, actor: Actor) -> Json:
        condition = resource.condition
        return {
            "name": resource.name,
            "limit": resource.limit,
            "usage": resource.usage,
            "unit": resource.resource.unit,
            "conditions": [
                {
                    "type": condition.type,
                    "status": condition.status.value,
                    "reason": condition.reason,
                    "message": condition.message,
                    # it is worked out at each reading, so there is nothing to say of these
                    "observed_generation": 0,
                    "last_transition_time": None,
                }
            ],
        }

    def update(self, call: Call, resource_id: str, body: Body) -> Quota:
        """Change the limit; a mask that names it without a value takes the default again."""
        if not body.has("limit"):
            body.finish()
            return self.find(call, resource_id)
        limit: int | None = body.integer("limit", None)
        body.finish()
        return set_quota_limit(
            actor=call.actor,
            project_id=call.project_id,
            quota_id=resource_id,
            limit=limit,
            options=call.options,
        )
