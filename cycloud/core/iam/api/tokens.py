"""REST: API tokens. The answer to a creation has the secret, no other answer has it."""

from datetime import timedelta

from django.db.models import QuerySet

from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json, Result
from cycloud.core.aip.representation import time_text
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import ApiToken
from cycloud.core.iam.selectors import get_token, list_tokens, principal_of
from cycloud.core.iam.services.tokens import DEFAULT_LIFE, TokenInput, create_token, revoke_token
from cycloud.iam.v1 import token_pb2


class Tokens(Collection[ApiToken]):
    name = "tokens"
    kind = "Token"
    message = token_pb2.Token.DESCRIPTOR.full_name
    in_project = False
    remembers_requests = False
    id_parameter = ""
    list_key = "tokens"
    orders = {"create_time": "create_time"}

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[ApiToken]:
        rows = list_tokens(actor=call.actor)
        return rows if show_deleted else rows.filter(revoke_time=None)

    def find(self, call: Call, resource_id: str) -> ApiToken:
        return get_token(actor=call.actor, token_uid=resource_id)

    def to_json(self, resource: ApiToken, actor: Actor) -> Json:
        project = resource.project
        answer = {
            "name": f"tokens/{resource.uid}",
            "owner": principal_of(resource),
            "display_name": resource.display_name,
            "project": project.name if project else None,
            "role": resource.role or None,
            "prefix": resource.prefix,
            "create_time": time_text(resource.create_time),
            "expire_time": time_text(resource.expire_time),
            "revoke_time": time_text(resource.revoke_time),
            "last_used_time": time_text(resource.last_used_time),
        }
        secret = getattr(resource, "secret", "")
        return {**answer, "secret": secret} if secret else answer

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[ApiToken]:
        data = TokenInput(
            owner=body.text("owner", ""),
            display_name=body.text("display_name", ""),
            project_id=body.text("project", "").removeprefix("projects/"),
            role=body.text("role", ""),
            life=timedelta(seconds=body.integer("life_seconds", int(DEFAULT_LIFE.total_seconds()))),
        )
        body.finish()
        created = create_token(actor=call.actor, data=data, options=call.options)
        # for this one answer only: it is no column
        created.token.secret = created.secret  # type: ignore[attr-defined]
        return created.token

    def delete(self, call: Call, resource_id: str) -> Result[ApiToken]:
        revoke_token(actor=call.actor, token_uid=resource_id, options=call.options)
        return None
