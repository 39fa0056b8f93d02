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


def token_fields(token: ApiToken) -> Json:
    """Return what tokens and keys have in common; the secret only in the answer that made it."""
    secret = getattr(token, "secret", "")
    return {
        "display_name": token.display_name,
        "project": token.project.name if token.project else None,
        "role": token.role or None,
        "prefix": token.prefix,
        "create_time": time_text(token.create_time),
        "expire_time": time_text(token.expire_time),
        "revoke_time": time_text(token.revoke_time),
        "last_used_time": time_text(token.last_used_time),
        **({"secret": secret} if secret else {}),
    }


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
        return {
            "name": f"tokens/{resource.uid}",
            "owner": principal_of(resource),
            **token_fields(resource),
        }

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
