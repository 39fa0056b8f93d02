"""What is to be in Kubernetes for one of our rows, and whether it is. Pure: no call, no database.

Three field managers write (server-side apply): ``cycloud`` the declaration of what the API owns, ``cycloud-status`` the
status of everything, ``cycloud-meta`` the finalizer and label of what Kubernetes manages, whose declaration is
somebody else's.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from cycloud.core.conditions import Condition, Status
from cycloud.kubernetes.kinds import ApiKind, Json, Kind, Manifest
from cycloud.kubernetes.metadata import (
    changed_annotations,
    changed_labels,
    shown_annotations,
    shown_labels,
)
from cycloud.kubernetes.places import Place, object_path

__all__ = [
    "ACCEPTED",
    "FINALIZER",
    "MANAGER",
    "MANAGER_LABEL",
    "META_MANAGER",
    "STATUS_MANAGER",
    "accepted_condition",
    "agrees",
    "declaration",
    "foreign_writers",
    "generation_of",
    "has_our_finalizer",
    "is_being_deleted",
    "is_declared",
    "is_marked",
    "managed_path",
    "marks_of",
    "owns_spec",
    "row_uid_of",
    "same_status",
    "status_body",
    "status_of",
    "time_text",
    "uid_of",
    "without_finalizer",
    "without_ownership",
]

MANAGER = "cycloud"
STATUS_MANAGER = "cycloud-status"
META_MANAGER = "cycloud-meta"
FINALIZER = "cycloud.jp/deletion"
MANAGER_LABEL = "cycloud.jp/managed-by"
ACCEPTED = Condition("Accepted", Status.TRUE, "Accepted", "The object was taken in as it is.")
_LONGEST_MESSAGE = 32768


def uid_of(observed: Json) -> str:
    return str(observed["metadata"]["uid"])


def managed_path(api: ApiKind, observed: Json) -> str:
    """Return what ``managed_by`` of a row is that was taken from this object."""
    metadata = observed["metadata"]
    return object_path(api, metadata.get("namespace", ""), metadata["name"])


def generation_of(observed: Json) -> int:
    return int(observed["metadata"].get("generation", 1))


def is_being_deleted(observed: Json) -> bool:
    return "deletionTimestamp" in observed["metadata"]


def has_our_finalizer(observed: Json) -> bool:
    return FINALIZER in observed["metadata"].get("finalizers", ())


def row_uid_of(observed: Json) -> str:
    """Return the uid of the row that the object stands for; empty where it stands for none yet.

    It is in the status, which nobody but us may write: a copied manifest does not bring it along.
    """
    return str((observed.get("status") or {}).get("uid", ""))


def declaration(
    kind: Kind, place: Place, manifest: Manifest, owner: Json | None, observed: Json | None
) -> Json:
    """Return what manager ``cycloud`` applies: spec, labels, annotations and owner of what the API owns.

    With the uid of the observed object, so that an object that was made anew meanwhile is not written to.
    """
    metadata = _identity(place, observed)
    metadata["labels"] = {**shown_labels(manifest.labels), MANAGER_LABEL: "api"}
    annotations = shown_annotations(manifest.annotations)
    if annotations:
        metadata["annotations"] = annotations
    if owner is not None:
        metadata["ownerReferences"] = [_reference(owner)]
    return {**_type(kind), "metadata": metadata, "spec": _present(manifest.spec)}


def is_declared(manifest: Manifest, observed: Json) -> bool:
    """Tell whether what the API owns is as it is to be: the spec to the letter, our labels, annotations and owner."""
    metadata = observed["metadata"]
    labels = {**shown_labels(manifest.labels), MANAGER_LABEL: "api"}
    annotations = shown_annotations(manifest.annotations)
    return (
        (observed.get("spec") or {}) == _present(manifest.spec)
        and _has(metadata.get("labels"), labels)
        and _has(metadata.get("annotations"), annotations)
        and _owned_keys(observed, MANAGER, "labels") <= labels.keys()
        and _owned_keys(observed, MANAGER, "annotations") <= annotations.keys()
        and _is_owned(manifest, metadata)
    )


def marks_of(kind: Kind, place: Place, observed: Json | None) -> Json:
    """Return what manager ``cycloud-meta`` applies to an object that Kubernetes manages.

    Our finalizer holds it back from going before the resource does.
    """
    metadata = _identity(place, observed)
    metadata["labels"] = {MANAGER_LABEL: "kubernetes"}
    metadata["finalizers"] = [FINALIZER]
    return {**_type(kind), "metadata": metadata}


def is_marked(observed: Json) -> bool:
    """Tell whether an object that Kubernetes manages has our finalizer and label, and its spec is not ours."""
    labels = observed["metadata"].get("labels") or {}
    return (
        has_our_finalizer(observed)
        and labels.get(MANAGER_LABEL) == "kubernetes"
        and not owns_spec(observed)
    )


def without_finalizer(observed: Json) -> list[Json]:
    """Return the JSON patch that takes our finalizer away, if nobody was faster."""
    left = [item for item in observed["metadata"]["finalizers"] if item != FINALIZER]
    return [_unchanged(observed), {"op": "replace", "path": "/metadata/finalizers", "value": left}]


def without_ownership(observed: Json) -> list[Json]:
    """Return the JSON patch after which nobody owns the declaration: who takes it over meets no conflict."""
    left = [entry for entry in _managed_fields(observed) if entry.get("manager") != MANAGER]
    path = "/metadata/managedFields"
    return [_unchanged(observed), {"op": "replace", "path": path, "value": left}]


def owns_spec(observed: Json) -> bool:
    """Tell whether manager ``cycloud`` still owns the declaration: whoever takes it over would meet a conflict."""
    return any(entry.get("manager") == MANAGER for entry in _managed_fields(observed))


def foreign_writers(observed: Json, part: str) -> list[str]:
    """Return the managers, not ours, that own fields of ``part`` (spec or status)."""
    return sorted(
        {
            str(entry.get("manager", "?"))
            for entry in _managed_fields(observed)
            if f"f:{part}" in (entry.get("fieldsV1") or {})
            and not str(entry.get("manager", "")).startswith(MANAGER)
        }
    )


def status_body(kind: Kind, place: Place, observed: Json, status: Json) -> Json:
    """Return what manager ``cycloud-status`` applies to this very object."""
    return {**_type(kind), "metadata": _identity(place, observed), "status": status}


def status_of(
    manifest: Manifest | None, observed: Json, accepted: Condition | None, time: datetime
) -> Json:
    """Return the whole status.

    A condition that is not about what the object declares now has the generation before it as its
    observedGeneration, so that ``kubectl wait`` and GitOps tools go on waiting.
    """
    generation = generation_of(observed)
    refused = accepted is not None and accepted.status.value != "True"
    settled = manifest is not None and manifest.settled and not refused
    seen = generation if settled else generation - 1
    conditions: list[Json] = []
    status: Json = {}
    if manifest is not None:
        conditions = [_condition(item, seen) for item in manifest.conditions]
        status = {**_present(manifest.status), "uid": str(manifest.uid)}
    if accepted is not None:
        since = _transition(observed, accepted, time)
        conditions.append({**_condition(accepted, generation), "lastTransitionTime": since})
    if manifest is not None:
        status["observedGeneration"] = seen
    return {**status, "conditions": conditions}


def agrees(kind: Kind, manifest: Manifest | None, observed: Json | None, time: datetime) -> bool:
    """Tell whether a pass on this object would change nothing. An object that was refused never agrees."""
    if manifest is None or observed is None:
        going = manifest is not None and manifest.deleting and bool(manifest.managed_by)
        return observed is None and (manifest is None or going)
    if is_being_deleted(observed) or row_uid_of(observed) != str(manifest.uid):
        return False
    accepted = None
    if manifest.managed_by == managed_path(kind.api, observed):
        if not is_marked(observed) or not _is_taken_in(kind, manifest, observed):
            return False
        accepted = accepted_condition(observed)
        if accepted is None:
            return False
    elif not is_declared(manifest, observed) or has_our_finalizer(observed):
        return False
    return same_status(observed, status_of(manifest, observed, accepted, time))


def same_status(observed: Json, wanted: Json) -> bool:
    """Tell whether the status is as wanted; conditions in any order."""
    found = {"conditions": [], **(observed.get("status") or {})}
    return _sorted(found) == _sorted(wanted)


def _sorted(status: Json) -> Json:
    return {**status, "conditions": sorted(status["conditions"], key=lambda item: item["type"])}


def _is_taken_in(kind: Kind, manifest: Manifest, observed: Json) -> bool:
    if not kind.agrees(manifest, observed.get("spec") or {}):
        return False
    return not kind.has_labels or (
        changed_labels(manifest.labels, observed) is None
        and changed_annotations(manifest.annotations, observed) is None
    )


def accepted_condition(observed: Json) -> Condition | None:
    """Return the condition that a taken-in object has when all is well, if it has it."""
    from_object = _condition_in(observed, "Accepted")
    if from_object is None or from_object.get("status") != "True":
        return None
    return ACCEPTED


def _unchanged(observed: Json) -> Json:
    version = observed["metadata"]["resourceVersion"]
    return {"op": "test", "path": "/metadata/resourceVersion", "value": version}


def _identity(place: Place, observed: Json | None) -> Json:
    metadata: Json = {"name": place.name}
    if place.namespace:
        metadata["namespace"] = place.namespace
    if observed is not None:
        metadata["uid"] = uid_of(observed)
    return metadata


def _type(kind: Kind) -> Json:
    return {"apiVersion": kind.api.api_version, "kind": kind.api.kind}


def _reference(owner: Json) -> Json:
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": False,
    }


def _is_owned(manifest: Manifest, metadata: Json) -> bool:
    if manifest.owner is None:
        return True
    return any(
        reference["kind"] == manifest.owner.kind and reference["name"] == manifest.owner.name
        for reference in metadata.get("ownerReferences") or ()
    )


def _has(texts: Mapping[str, str] | None, wanted: Mapping[str, str]) -> bool:
    found = texts or {}
    return all(found.get(key) == value for key, value in wanted.items())


def _present(fields: Json) -> Json:
    """Leave out what has no value, at every depth: the API server does so too."""
    return {key: _kept(value) for key, value in fields.items() if value is not None}


def _kept(value: Any) -> Any:
    if isinstance(value, dict):
        return _present(value)
    if isinstance(value, list):
        return [_kept(item) for item in value]
    return value


def _managed_fields(observed: Json) -> Iterator[Json]:
    yield from observed["metadata"].get("managedFields") or ()


def _owned_keys(observed: Json, manager: str, part: str) -> set[str]:
    """Return the keys of labels or annotations that a manager applied (``f:key`` in fieldsV1)."""
    keys: set[str] = set()
    for entry in _managed_fields(observed):
        if entry.get("manager") == manager and entry.get("operation") == "Apply":
            fields = (entry.get("fieldsV1") or {}).get("f:metadata") or {}
            keys |= {key[2:] for key in fields.get(f"f:{part}") or () if key.startswith("f:")}
    return keys


def _condition(condition: Condition, generation: int) -> Json:
    time = condition.last_transition_time or datetime.fromtimestamp(0, UTC)
    return {
        "type": condition.type,
        "status": condition.status.value,
        "reason": condition.reason,
        "message": condition.message[:_LONGEST_MESSAGE],
        "lastTransitionTime": time_text(time),
        "observedGeneration": generation,
    }


def _condition_in(observed: Json, type_: str) -> Json | None:
    conditions = (observed.get("status") or {}).get("conditions") or ()
    return next((item for item in conditions if item.get("type") == type_), None)


def _transition(observed: Json, condition: Condition, time: datetime) -> str:
    before = _condition_in(observed, condition.type)
    if before is not None and before.get("status") == condition.status.value:
        return str(before["lastTransitionTime"])
    return time_text(time)


def time_text(time: datetime) -> str:
    """Return a time as Kubernetes writes it: RFC 3339, whole seconds, UTC."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
