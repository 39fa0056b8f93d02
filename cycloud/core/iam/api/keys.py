"""The keys of service accounts. The answer to a creation has the secret, no other answer has it."""

from datetime import timedelta

from django.db.models import QuerySet

from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json, Result
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.api.tokens import token_fields
from cycloud.core.iam.models import ApiToken
from cycloud.core.iam.selectors import get_key, list_keys
from cycloud.core.iam.services.service_account_keys import create_key, delete_key
from cycloud.core.iam.services.tokens import DEFAULT_LIFE, TokenInput
from cycloud.iam.v1 import service_account_key_pb2


class ServiceAccountKeys(Collection[ApiToken]):
    """``/v1/projects/{project}/serviceAccounts/{service_account}/keys``."""

    name = "keys"
    kind = "ServiceAccountKey"
    message = service_account_key_pb2.ServiceAccountKey.DESCRIPTOR.full_name
    within = "serviceAccounts"
    remembers_requests = False
    id_parameter = ""
    list_key = "keys"
    orders = {"create_time": "create_time"}

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[ApiToken]:
        rows = list_keys(
            actor=call.actor, project_id=call.project_id, service_account_id=call.parent_id
        )
        return rows if show_deleted else rows.filter(revoke_time=None)

    def find(self, call: Call, resource_id: str) -> ApiToken:
        return get_key(
            actor=call.actor,
            project_id=call.project_id,
            service_account_id=call.parent_id,
            key_id=resource_id,
        )

    def to_json(self, resource: ApiToken, actor: Actor) -> Json:
        account = resource.service_account
        parent = f"{account.project.name}/{self.within}/{account.resource_id}" if account else ""
        return {"name": f"{parent}/keys/{resource.uid}", **token_fields(resource)}

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[ApiToken]:
        data = TokenInput(
            display_name=body.text("display_name", ""),
            role=body.text("role", ""),
            life=timedelta(seconds=body.integer("life_seconds", int(DEFAULT_LIFE.total_seconds()))),
        )
        body.finish()
        created = create_key(
            actor=call.actor,
            project_id=call.project_id,
            service_account_id=call.parent_id,
            data=data,
            options=call.options,
        )
        # for this one answer only: it is no column
        created.token.secret = created.secret  # type: ignore[attr-defined]
        return created.token

    def delete(self, call: Call, resource_id: str) -> Result[ApiToken]:
        delete_key(
            actor=call.actor,
            project_id=call.project_id,
            service_account_id=call.parent_id,
            key_id=resource_id,
            options=call.options,
        )
        return None
