"""``check``: whether the sync can work with a Kubernetes API as it is, and what to do where it cannot."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from cycloud.kubernetes.client import KubernetesClient
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.install.applying import is_established
from cycloud.kubernetes.install.findings import Finding, good, note, wrong
from cycloud.kubernetes.install.objects import Installed, api_of
from cycloud.kubernetes.install.rbac import Right
from cycloud.kubernetes.kinds import Json

__all__ = [
    "LEAST_VERSION",
    "ServerTime",
    "check_clock",
    "check_definitions",
    "check_others",
    "check_rights",
    "check_server",
]

# matchConditions of webhooks, ratcheting of CEL rules, SelfSubjectReview
LEAST_VERSION: Final = (1, 30)
# Leases are told to be over by the clocks of different machines
_MOST_SECONDS_APART: Final = 5.0
_INSTALL: Final = "Run: manage.py kubernetes install"
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class ServerTime:
    """The server's Date header (whole seconds), and our own clock before and after the call."""

    told: datetime
    before: datetime
    after: datetime

    @property
    def seconds_apart(self) -> float:
        """How far the server's clock is ahead, at least; 0 where the answer could have been written in that second."""
        late = (self.told - self.after).total_seconds()
        early = (self.before - self.told).total_seconds() - 1.0
        return late if late > 0 else -early if early > 0 else 0.0


def check_server(client: KubernetesClient) -> Iterator[Finding]:
    """Look at the server's version, and as whom it sees us. Raises KubernetesFault where it doesn't answer."""
    version = client.raw("GET", "/version")
    told = f"{client.host} is {version.get('gitVersion', 'of an unknown version')}"
    if _version(version) >= LEAST_VERSION:
        yield good("server", f"{told}.")
    else:
        least = ".".join(map(str, LEAST_VERSION))
        yield wrong("server", f"{told}; Cycloud needs {least} or later. Upgrade the cluster.")
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    review = client.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", body)
    yield good("identity", f"It knows this process as {review['status']['userInfo']['username']}.")


def check_clock(time: ServerTime) -> Finding:
    """Compare the clocks."""
    apart = time.seconds_apart
    if abs(apart) <= _MOST_SECONDS_APART:
        return good("clock", f"The server's clock and this one are within {abs(apart) + 1:.0f} s.")
    word = "ahead of" if apart > 0 else "behind"
    return wrong(
        "clock",
        f"The server's clock is {abs(apart):.0f} s {word} this one; up to {_MOST_SECONDS_APART:.0f} s are fine: Leases "
        "end by clocks. Synchronise both machines (NTP).",
    )


def check_rights(client: KubernetesClient, rights: Sequence[Right]) -> Iterator[Finding]:
    """Ask the server for each right that the controller needs, and whether it has all there are."""
    missing = [right for right in rights if not _may(client, right)]
    for right in missing:
        yield wrong("rights", f"This account may not {right}. {_INSTALL}, as an administrator.")
    if not missing:
        yield good("rights", f"All {len(rights)} that the controller needs are there.")
    if _may(client, Right("*", "*", "*")):
        yield note(
            "rights",
            "This account may do everything in the cluster. Let workers run as the service account cycloud, which has "
            "only what is needed.",
        )


def check_definitions(client: KubernetesClient, objects: Installed) -> Iterator[Finding]:
    """Look whether all kinds are served, and defined as this release defines them."""
    wrongs: list[Finding] = []
    unread = 0
    for body in objects.definitions:
        try:
            found = client.get(api_of(body), "", body["metadata"]["name"])
        except KubernetesFault as fault:
            if fault.kind is not FaultKind.FORBIDDEN:
                raise
            # definitions are administrators' to read; that a kind is served everybody may know
            unread += 1
            wrongs += _served(client, body)
            continue
        wrongs += _definition(body, found)
    yield from wrongs
    count = len(objects.definitions)
    if not wrongs and not unread:
        yield good("definitions", f"All {count} are installed and those of this release.")
    elif not wrongs:
        yield note(
            "definitions",
            f"All {count} are served. Whether they are those of this release only an administrator's account can "
            "tell: this one may not read them.",
        )


def check_others(client: KubernetesClient, objects: Installed) -> Iterator[Finding]:
    """Look whether the rest is as ``install`` makes it, as far as this account may read it."""
    wrongs = []
    unread = 0
    for body in objects.others:
        metadata = body["metadata"]
        try:
            found = client.get(api_of(body), metadata.get("namespace", ""), metadata["name"])
        except KubernetesFault as fault:
            if fault.kind is not FaultKind.FORBIDDEN:
                raise
            unread += 1
            continue
        if found is None or not _holds(found, body):
            what = "is missing" if found is None else "is not as this release makes it"
            wrongs.append(wrong("objects", f"{body['kind']} {metadata['name']} {what}. {_INSTALL}"))
    yield from wrongs
    if not wrongs and not unread:
        yield good("objects", "Service account, roles and bindings are as this release makes them.")


def _version(told: Json) -> tuple[int, int]:
    # some distributions tell "30+"
    numbers = [_NUMBER.match(str(told.get(part, ""))) for part in ("major", "minor")]
    major, minor = (int(found.group()) if found else 0 for found in numbers)
    return major, minor


def _may(client: KubernetesClient, right: Right) -> bool:
    resource, _, subresource = right.resource.partition("/")
    attributes = {
        "group": right.group,
        "resource": resource,
        "subresource": subresource,
        "verb": right.verb,
        "namespace": right.namespace,
    }
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {k: v for k, v in attributes.items() if v}},
    }
    review = client.create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body)
    return bool(review["status"].get("allowed"))


def _definition(body: Json, found: Json | None) -> list[Finding]:
    name = body["metadata"]["name"]
    if found is None:
        return [wrong("definitions", f"{name} is not installed. {_INSTALL}")]
    if not is_established(found):
        see = f"kubectl describe customresourcedefinition {name}"
        return [wrong("definitions", f"{name} is installed but not served. See: {see}")]
    if not _holds(found["spec"], body["spec"]):
        return [wrong("definitions", f"{name} is not the one of this release. {_INSTALL}")]
    return []


def _served(client: KubernetesClient, body: Json) -> list[Finding]:
    spec = body["spec"]
    stored = next(version["name"] for version in spec["versions"] if version["storage"])
    try:
        answer = client.raw("GET", f"/apis/{spec['group']}/{stored}")
    except KubernetesFault as fault:
        if fault.kind not in (FaultKind.NOT_FOUND, FaultKind.NO_SUCH_KIND):
            raise
        answer = {}
    if any(item.get("name") == spec["names"]["plural"] for item in answer.get("resources", ())):
        return []
    name = body["metadata"]["name"]
    return [wrong("definitions", f"{name} is not installed. {_INSTALL}, as an administrator.")]


def _holds(found: Any, wanted: Any) -> bool:
    """Tell whether everything wanted is there; what the server fills in besides does not matter."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            _holds(found.get(key), value) for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(found) == len(wanted)
            and all(map(_holds, found, wanted))
        )
    # false, 0 and empty texts are often left out by the server
    return bool(found == wanted) or (not wanted and found is None)
