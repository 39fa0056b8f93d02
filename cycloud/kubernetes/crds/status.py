"""What every object has in its status, and how the fields are called that every resource has."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from cycloud.kubernetes.crds.fields import Field, own, proto

__all__ = ["EVERYWHERE", "status_fields"]

_CONDITION: Final = "cycloud.common.v1.Condition"
# as in apimachinery's metav1.Condition, which tools like `kubectl wait` and GitOps controllers read
_CONDITION_FIELDS: Final = (
    proto(
        _CONDITION,
        "type",
        {
            "maxLength": 316,
            "pattern": r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
            r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
        },
        required=True,
    ),
    proto(_CONDITION, "status", {"enum": ["True", "False", "Unknown"]}, required=True),
    proto(
        _CONDITION,
        "reason",
        {
            "minLength": 1,
            "maxLength": 1024,
            "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        },
        required=True,
    ),
    proto(_CONDITION, "message", {"maxLength": 32768}, required=True),
    proto(
        _CONDITION,
        "observed_generation",
        {"format": "int64", "minimum": 0},
        description="The metadata.generation that was looked at.",
    ),
    proto(_CONDITION, "last_transition_time", required=True),
)

# fields that every resource of the public contract has, and where Kubernetes has them
EVERYWHERE: Final[Mapping[str, str]] = {
    "name": "metadata.name is its last part, the namespace stands for the project",
    "labels": "metadata.labels",
    "annotations": "metadata.annotations",
    "generation": "metadata.generation, which counts changes of the object",
    "reconciling": "the Ready condition, and observedGeneration, tell it",
    "etag": "metadata.resourceVersion",
    "create_time": "metadata.creationTimestamp is the object's",
    "update_time": "metadata.managedFields has the times of changes",
    "delete_time": "metadata.deletionTimestamp",
    "managed_by": "the label cycloud.jp/managed-by; who manages is the object itself",
    "conditions": "status.conditions",
    "observed_generation": "status.observedGeneration",
    "purge_time": "status.purgeTime of the VolumeBinding",
}


def status_fields(message: str, fields: Sequence[Field]) -> list[Field]:
    """Return the fields of a status: what every one has, and ``fields``.

    ``message`` is the one of the public contract that the kind mirrors; empty for the kinds that are in none.
    """
    conditions = "What was observed. The main one is `Ready`."
    generation = "The metadata.generation that the status is about."
    listed = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
    }
    return [
        own("conditions", listed, conditions, fields=_CONDITION_FIELDS),
        own(
            "observedGeneration",
            {"type": "integer", "format": "int64", "minimum": 0},
            generation,
        ),
        proto(message, "uid", {"maxLength": 36})
        if message
        else own(
            "uid",
            {"type": "string", "format": "uuid", "maxLength": 36},
            "A UUID that no other resource has or will have.",
        ),
        *_optional(fields),
    ]


def _optional(fields: Sequence[Field]) -> list[Field]:
    """What requests must have is not always there to be observed."""
    return [
        replace(item, required=bool(item.required), fields=_optional(item.fields))
        for item in fields
    ]
