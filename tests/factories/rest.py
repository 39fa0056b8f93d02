"""A client of the REST face, and principals with real tokens."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.test import Client

from cycloud.core.clock import now
from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import ApiToken, Project
from cycloud.core.iam.tokens import PREFIX_LENGTH, digest_of, new_secret
from tests.factories.iam import MembershipFactory, OperatorFactory, UserFactory


@dataclass(frozen=True)
class Answer:
    """What came back; ``json`` is None where there is no JSON."""

    status: int
    json: Any
    headers: dict[str, str]
    text: str

    @property
    def reason(self) -> str:
        """The ErrorInfo's reason, which every refusal has."""
        return str(self.json["error"]["details"][0]["reason"])

    @property
    def field(self) -> str:
        """The first field that is complained about."""
        return str(self.json["error"]["details"][1]["field_violations"][0]["field"])


class RestClient:
    """Calls below ``/v1/``, with a bearer token if there is one."""

    def __init__(self, secret: str = "") -> None:
        self._client = Client(raise_request_exception=False)
        self._headers = {"authorization": f"Bearer {secret}"} if secret else {}

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: dict[str, str] | None = None,
        raw: bytes | None = None,
        content_type: str = "application/json",
    ) -> Answer:
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        answer = self._client.generic(
            method,
            f"/v1/{path}",
            data,
            content_type if data else "",
            headers={**self._headers, **(headers or {})},
        )
        text = answer.content.decode()
        is_json = answer.headers.get("Content-Type", "").startswith("application/json") and text
        return Answer(
            answer.status_code, answer.json() if is_json else None, dict(answer.headers), text
        )


def token_for(owner: Any, **fields: Any) -> str:
    """Store a token of a user and return its secret."""
    secret = new_secret()
    time = now()
    ApiToken.objects.create(
        **{
            "user": owner,
            "prefix": secret[:PREFIX_LENGTH],
            "digest": digest_of(secret),
            "create_time": time,
            "expire_time": time + timedelta(days=1),
            **fields,
        }
    )
    return secret


def client_with(role: Role | None, project: Project) -> RestClient:
    """A client of a new user with that role in the project (None: no member)."""
    user = UserFactory.create()
    if role is not None:
        MembershipFactory.create(project=project, user=user, role=role.value)
    return RestClient(token_for(user))


def operator_client() -> RestClient:
    return RestClient(token_for(OperatorFactory.create()))
