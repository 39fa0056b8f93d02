"""Keystone: password tokens and the catalog."""

from __future__ import annotations

import hmac
import secrets
import uuid
from typing import Any

from cycloud.simulator.calls import Answer, Call, Json, Refused, Routes, stamp
from cycloud.simulator.models.identity import Token, User

routes = Routes()

UNAUTHENTICATED = "The request you have made requires authentication."
DOMAIN = {"id": "default", "name": "Default"}
TOKENS_KEPT = 500

CATALOG = (
    ("identity", "keystone", "/identity/v3"),
    ("compute", "nova", "/compute/v2.1"),
    ("volumev3", "cinder", "/volume/v3/{project}"),
    ("block-storage", "cinder", "/volume/v3/{project}"),
    ("network", "neutron", "/network"),
    ("image", "glance", "/image"),
    ("placement", "placement", "/placement"),
)


def identity_error(status: int, message: str) -> Refused:
    """An error of keystone: {"error": {"code", "message", "title"}}."""
    titles = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found"}
    error = {"code": status, "message": message, "title": titles.get(status, "Server Error")}
    return Refused(Answer(status, {"error": error}))


def unauthorized(call: Call) -> Refused:
    """What keystonemiddleware answers in front of every service but glance."""
    headers = {"WWW-Authenticate": f'Keystone uri="{call.base}/identity/v3"'}
    if call.service == "image":
        message = (
            "This server could not verify that you are authorized to access the document you"
            " requested. Either you supplied the wrong credentials (e.g., bad password), or your"
            " browser does not understand how to supply the credentials required.<br /><br />\n\n\n"
        )
        body: Json = {"message": message, "code": "401 Unauthorized", "title": "Unauthorized"}
        return Refused(Answer(401, body, headers))
    error = {"code": 401, "title": "Unauthorized", "message": UNAUTHENTICATED}
    return Refused(Answer(401, {"error": error}, headers))


def valid_token(call: Call, ident: str | None) -> Token | None:
    """The token if it was issued here and has not expired."""
    token = call.cloud.tokens.get(ident or "")
    if token is None or token.expires <= call.site.now():
        return None
    return token


def _version(call: Call) -> Json:
    return {
        "id": "v3.14",
        "status": "stable",
        "updated": "2020-04-07T00:00:00Z",
        "links": [{"rel": "self", "href": f"{call.base}/identity/v3/"}],
        "media-types": [
            {"base": "application/json", "type": "application/vnd.openstack.identity-v3+json"}
        ],
    }


@routes("GET", "/")
def versions(call: Call) -> Answer:
    """300 with the only version."""
    return Answer(300, {"versions": {"values": [_version(call)]}})


@routes("GET", "/v3")
def version(call: Call) -> Answer:
    """The version document."""
    return Answer(200, {"version": _version(call)})


def _token_body(call: Call, token: Token) -> Json:
    user = token.user
    project = {"domain": DOMAIN, "id": user.project.id, "name": user.project.name}
    catalog = []
    for kind, name, path in CATALOG:
        url = call.base + path.format(project=user.project.id)
        seed = f"{call.cloud.name}:{kind}"
        endpoints = [
            {
                "id": uuid.uuid5(uuid.NAMESPACE_URL, f"{seed}:{interface}").hex,
                "interface": interface,
                "region": "RegionOne",
                "region_id": "RegionOne",
                "url": url,
            }
            for interface in ("public", "internal", "admin")
        ]
        ident = uuid.uuid5(uuid.NAMESPACE_URL, seed).hex
        catalog.append({"id": ident, "type": kind, "name": name, "endpoints": endpoints})
    return {
        "token": {
            "methods": ["password"],
            "user": {
                "domain": DOMAIN,
                "id": user.id,
                "name": user.name,
                "password_expires_at": None,
            },
            "audit_ids": [token.id[-22:]],
            "issued_at": stamp(token.issued, micro=True),
            "expires_at": (stamp(token.expires, micro=True) or "") + "Z",
            "project": project,
            "is_domain": False,
            "roles": [
                {"id": uuid.uuid5(uuid.NAMESPACE_URL, role).hex, "name": role}
                for role in user.roles
            ],
            "catalog": catalog,
        }
    }


def _password_user(call: Call, identity: Any) -> User | None:
    """The user whose password the request holds."""
    try:
        asked = identity["password"]["user"]
        name, password = asked.get("name"), asked["password"]
        domain = asked.get("domain", DOMAIN)
    except (KeyError, TypeError, AttributeError):
        return None
    user = call.cloud.users.get(name or "") or next(
        (u for u in call.cloud.users.values() if u.id == asked.get("id")), None
    )
    at_home = domain.get("name") == "Default" or domain.get("id") == "default"
    same = hmac.compare_digest(str(password).encode(), call.site.password.encode())
    return user if user and at_home and same else None


@routes("POST", "/v3/auth/tokens")
def issue(call: Call) -> Answer:
    """A token for a password, scoped to the user's project (401 for anything else)."""
    auth = call.data().get("auth", {})
    user = _password_user(call, auth.get("identity"))
    if user is None:
        raise identity_error(401, UNAUTHENTICATED)
    project = (auth.get("scope") or {}).get("project") or {}
    if (
        project
        and user.project.id != project.get("id")
        and user.project.name != project.get("name")
    ):
        raise identity_error(401, UNAUTHENTICATED)
    now = call.site.now()
    token = Token("gAAAAA" + secrets.token_urlsafe(96), user, now, now + call.site.token_ttl)
    kept = {i: t for i, t in call.cloud.tokens.items() if t.expires > now}
    while len(kept) >= TOKENS_KEPT:
        kept.pop(next(iter(kept)))
    call.cloud.tokens = {**kept, token.id: token}
    return Answer(201, _token_body(call, token), {"X-Subject-Token": token.id})


@routes("GET", "/v3/auth/tokens")
def show_token(call: Call) -> Answer:
    """What a token says; 404 for an unknown one."""
    subject = call.headers.get("x-subject-token", "")
    token = valid_token(call, subject)
    if token is None:
        raise identity_error(404, f"Could not find token: {subject[:12]}.")
    return Answer(200, _token_body(call, token), {"X-Subject-Token": token.id})


@routes("DELETE", "/v3/auth/tokens")
def revoke_token(call: Call) -> Answer:
    """Forget a token."""
    call.cloud.tokens.pop(call.headers.get("x-subject-token", ""), None)
    return Answer(204)


@routes("GET", "/v3/projects")
def projects(call: Call) -> Answer:
    """All projects."""
    items = [
        {"id": p.id, "name": p.name, "domain_id": "default", "enabled": True}
        for p in call.cloud.projects.values()
        if call.arg("name") in ("", p.name)
    ]
    return Answer(200, {"projects": items, "links": {"self": f"{call.base}/identity/v3/projects"}})


@routes("GET", "/v3/projects/{id}")
def project(call: Call) -> Answer:
    """One project."""
    found = call.cloud.projects.get(call.params["id"])
    if found is None:
        raise identity_error(404, f"Could not find project: {call.params['id']}.")
    body = {"id": found.id, "name": found.name, "domain_id": "default", "enabled": True}
    return Answer(200, {"project": body})
