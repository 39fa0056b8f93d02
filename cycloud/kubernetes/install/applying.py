"""Putting objects into a Kubernetes API, and telling what that changed. The same again changes nothing."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cycloud.kubernetes.client import APPLY_PATCH, KubernetesClient, path_of
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.install.objects import API_KINDS, CONFIGURATION, Installed, api_of
from cycloud.kubernetes.kinds import Json

__all__ = ["MANAGER", "Change", "Changed", "NotEstablished", "install", "is_established"]

MANAGER: Final = "cycloud-install"
_LONGEST_WAIT_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.2
# what the API server keeps about an object, and no part of what it says
_KEPT: Final = ("managedFields", "resourceVersion", "generation", "uid", "creationTimestamp")


class Change(StrEnum):
    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REMOVED = "removed"


@dataclass(frozen=True)
class Changed:
    """What became, or would become, of one object."""

    kind: str
    name: str
    change: Change


class NotEstablished(Exception):
    """Definitions that the API server doesn't serve; the text says which, and why."""


def install(
    client: KubernetesClient,
    objects: Installed,
    *,
    dry_run: bool = False,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Changed]:
    """Apply all objects as manager ``cycloud-install`` (server-side apply), and yield what each became.

    Fields that somebody else set are taken over; other fields of the objects are left. Waits up to 60 s until the
    definitions are served. With ``dry_run`` the server judges everything and keeps nothing. Raises KubernetesFault;
    NotEstablished.
    """
    for body in objects.definitions:
        yield _apply(client, body, dry_run=dry_run)
    if not dry_run:
        _wait(client, objects.definitions, clock, sleep)
    for body in objects.others:
        yield _apply(client, body, dry_run=dry_run)
    if not any(body["kind"] == "ValidatingWebhookConfiguration" for body in objects.others):
        yield from _without_webhook(client, dry_run=dry_run)


def is_established(definition: Json) -> bool:
    """Tell whether the API server serves the kind."""
    return _condition(definition, "Established").get("status") == "True"


def _apply(client: KubernetesClient, body: Json, *, dry_run: bool) -> Changed:
    api, metadata = api_of(body), body["metadata"]
    namespace = metadata.get("namespace", "")
    before = client.get(api, namespace, metadata["name"])
    query = {"fieldManager": MANAGER, "force": "true", "fieldValidation": "Strict"}
    if dry_run:
        query["dryRun"] = "All"
    path = path_of(api, namespace, metadata["name"])
    try:
        after = client.raw("PATCH", path, body, query, content_type=APPLY_PATCH)
    except KubernetesFault as fault:
        # its namespace would have been made just before
        if not (dry_run and namespace and fault.kind is FaultKind.NOT_FOUND):
            raise
        after = body
    return Changed(api.kind, _name(body), _change(before, after))


def _change(before: Json | None, after: Json) -> Change:
    if before is None:
        return Change.CREATED
    return Change.UNCHANGED if _content(before) == _content(after) else Change.CHANGED


def _content(observed: Json) -> Json:
    metadata = {k: v for k, v in observed["metadata"].items() if k not in _KEPT}
    rest = {k: v for k, v in observed.items() if k not in ("status", "metadata")}
    return {**rest, "metadata": metadata}


def _without_webhook(client: KubernetesClient, *, dry_run: bool) -> Iterator[Changed]:
    """Remove what an earlier install with a webhook left: the API server would go on asking nobody."""
    api = API_KINDS["ValidatingWebhookConfiguration"]
    found = client.get(api, "", CONFIGURATION)
    if found is None:
        return
    if not dry_run:
        client.delete(api, "", CONFIGURATION, uid=found["metadata"]["uid"])
    yield Changed(api.kind, CONFIGURATION, Change.REMOVED)


def _wait(
    client: KubernetesClient,
    definitions: Sequence[Json],
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> None:
    end = clock() + _LONGEST_WAIT_SECONDS
    for body in definitions:
        name = body["metadata"]["name"]
        while True:
            found = client.get(api_of(body), "", name)
            if found is not None and is_established(found):
                break
            _check_names(name, found)
            if clock() >= end:
                raise NotEstablished(
                    f"{name} is applied, but the API server does not serve it after "
                    f"{_LONGEST_WAIT_SECONDS:.0f} s. See: kubectl describe customresourcedefinition {name}"
                )
            sleep(_LOOK_SECONDS)


def _check_names(name: str, found: Json | None) -> None:
    accepted = _condition(found or {}, "NamesAccepted")
    if accepted.get("status") == "False":
        raise NotEstablished(
            f"{name} is not served, since another definition of the cluster has one of its names: "
            f"{accepted.get('message', '')}. Remove the other one, or give it other names."
        )


def _condition(definition: Json, type_: str) -> Json:
    conditions: list[Json] = (definition.get("status") or {}).get("conditions") or []
    return next((item for item in conditions if item.get("type") == type_), {})


def _name(body: Json) -> str:
    namespace = body["metadata"].get("namespace")
    name: str = body["metadata"]["name"]
    return f"{namespace}/{name}" if namespace else name
