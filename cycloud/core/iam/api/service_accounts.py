"""REST: service accounts."""

from typing import Any

from django.db.models import QuerySet

from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json, Result
from cycloud.core.aip.filters import Field, Kind
from cycloud.core.aip.representation import time_text
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import ServiceAccount
from cycloud.core.iam.selectors import get_service_account, list_service_accounts
from cycloud.core.iam.services.service_accounts import (
    create_service_account,
    delete_service_account,
    update_service_account,
)
from cycloud.iam.v1 import service_account_pb2


class ServiceAccounts(Collection[ServiceAccount]):
    name = "serviceAccounts"
    kind = "ServiceAccount"
    message = service_account_pb2.ServiceAccount.DESCRIPTOR.full_name
    remembers_requests = False
    id_parameter = "service_account_id"
    list_key = "service_accounts"
    updatable = frozenset({"display_name", "disabled"})
    output_only = frozenset({"principal"})
    default_order = ("resource_id", "uid")
    filters = {
        "name": Field("resource_id"),
        "display_name": Field("display_name"),
        "disabled": Field("disabled", Kind.BOOLEAN),
        "create_time": Field("create_time", Kind.TIME),
    }

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[ServiceAccount]:
        return list_service_accounts(actor=call.actor, project_id=call.project_id)

    def find(self, call: Call, resource_id: str) -> ServiceAccount:
        return get_service_account(
            actor=call.actor, project_id=call.project_id, service_account_id=resource_id
        )

    def to_json(self, resource: ServiceAccount, actor: Actor) -> Json:
        return {
            "name": f"{resource.project.name}/serviceAccounts/{resource.resource_id}",
            "uid": str(resource.uid),
            "principal": str(resource),
            "display_name": resource.display_name,
            "disabled": resource.disabled,
            "create_time": time_text(resource.create_time),
        }

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[ServiceAccount]:
        display_name = body.text("display_name", "")
        disabled = body.boolean("disabled", False)
        body.finish()
        return create_service_account(
            actor=call.actor,
            project_id=call.project_id,
            service_account_id=resource_id,
            display_name=display_name,
            disabled=disabled,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[ServiceAccount]:
        changes: dict[str, Any] = {}
        if body.has("display_name"):
            changes["display_name"] = body.text("display_name", "")
        if body.has("disabled"):
            changes["disabled"] = body.boolean("disabled", False)
        body.finish()
        return update_service_account(
            actor=call.actor,
            project_id=call.project_id,
            service_account_id=resource_id,
            changes=changes,
            options=call.options,
        )

    def delete(self, call: Call, resource_id: str) -> Result[ServiceAccount]:
        delete_service_account(
            actor=call.actor,
            project_id=call.project_id,
            service_account_id=resource_id,
            options=call.options,
        )
        return None
