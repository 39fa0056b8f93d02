"""What an app says of one of its kinds, and the CustomResourceDefinition (apiextensions.k8s.io/v1) that it makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from cycloud.kubernetes.crds.fields import CATALOG_ID, RESOURCE_ID, Field, Rule
from cycloud.kubernetes.crds.schemas import comment_of, is_immutable, is_required, object_schema
from cycloud.kubernetes.crds.status import status_fields
from cycloud.kubernetes.kinds import ApiKind, Json

__all__ = [
    "ACCEPTED",
    "AGE",
    "MESSAGE",
    "READY",
    "REASON",
    "Category",
    "Column",
    "Definition",
    "Version",
    "render",
]


class Category:
    """What ``kubectl get <category>`` lists: one for each group of people.

    kubectl asks for every kind of a category and fails for each that may not be listed, so a category holds only kinds
    that are readable by the same people.
    """

    # what a project's people declare
    INTERFACE: Final = "cycloud"
    # what operators offer; it names clusters
    CATALOG: Final = "cycloud-catalog"
    # what controllers make of it in clusters
    PROVIDER: Final = "cycloud-provider"


@dataclass(frozen=True)
class Column:
    """A column of ``kubectl get``; ``wide``: of ``-o wide`` only."""

    name: str
    path: str
    type: str = "string"
    wide: bool = False

    def schema(self) -> Json:
        return {
            "name": self.name,
            "type": self.type,
            "jsonPath": self.path,
            **({"priority": 1} if self.wide else {}),
        }


_CONDITIONS: Final = ".status.conditions"
READY: Final = Column("Ready", f'{_CONDITIONS}[?(@.type=="Ready")].status')
REASON: Final = Column("Reason", f'{_CONDITIONS}[?(@.type=="Ready")].reason')
MESSAGE: Final = Column("Message", f'{_CONDITIONS}[?(@.type=="Ready")].message', wide=True)
ACCEPTED: Final = Column("Accepted", f'{_CONDITIONS}[?(@.type=="Accepted")].status', wide=True)
AGE: Final = Column("Age", ".metadata.creationTimestamp", "date")


@dataclass(frozen=True)
class Version:
    """One version of a kind: the stored one, or an earlier one that a webhook converts. All have the same status.

    The API server checks an object by the version that it was sent in, so each has rules of its own.
    """

    name: str
    spec: Sequence[Field]
    columns: Sequence[Column]
    rules: Sequence[Rule] = ()


@dataclass(frozen=True)
class Definition:
    """One kind.

    ``message``: the message of the public contract that it mirrors, if any; else ``description`` tells what it is.
    ``columns``: those between Reason and Age, and the wide ones before Message. ``left_out``: the fields of the
    message (and of the messages in it) that no field stands for, by full name, with the reason. ``rules`` are about
    the whole object. ``taken_in``: people apply such objects, and condition Accepted tells whether they are heeded.
    """

    api: ApiKind
    category: str
    spec: Sequence[Field]
    status: Sequence[Field] = ()
    message: str = ""
    description: str = ""
    columns: Sequence[Column] = ()
    rules: Sequence[Rule] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    earlier: Sequence[Version] = ()
    taken_in: bool = False


def render(definition: Definition, webhook: Json | None = None) -> Json:
    """Return the CustomResourceDefinition.

    ``webhook``: the clientConfig of the webhook that converts between versions. Without one only the stored version is
    served.
    """
    api = definition.api
    stored = Version(api.version, definition.spec, definition.columns, definition.rules)
    versions = [_version(definition, stored)]
    for earlier in definition.earlier:
        text = f"{api.group}/{earlier.name} {api.kind} is deprecated; use {api.api_version}"
        versions.append(
            _version(definition, earlier)
            | {"served": webhook is not None, "storage": False}
            | {"deprecated": True, "deprecationWarning": text}
        )
    names: Json = {
        "kind": api.kind,
        "listKind": f"{api.kind}List",
        "plural": api.plural,
        "singular": api.singular,
        "categories": [definition.category],
    }
    if api.short_names:
        names["shortNames"] = list(api.short_names)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": api.definition,
            "labels": {"app.kubernetes.io/name": "cycloud", "app.kubernetes.io/component": "crd"},
        },
        "spec": {
            "group": api.group,
            "names": names,
            "scope": "Namespaced" if api.namespaced else "Cluster",
            "versions": versions,
            "conversion": _conversion(definition, webhook),
        },
    }


def _conversion(definition: Definition, webhook: Json | None) -> Json:
    if not definition.earlier or webhook is None:
        return {"strategy": "None"}
    return {
        "strategy": "Webhook",
        "webhook": {"clientConfig": webhook, "conversionReviewVersions": ["v1"]},
    }


def _version(definition: Definition, version: Version) -> Json:
    rules = [_name_rule(definition.api), *_immutables(definition, version), *version.rules]
    schema: Json = {
        "type": "object",
        "description": definition.description or comment_of(definition.message),
        "required": ["spec"],
        "properties": {
            # for the rule about it
            "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
            "spec": {"description": "What is wanted.", **object_schema(version.spec)},
            "status": {
                "description": "What was observed. Written by Cycloud only.",
                **object_schema(status_fields(definition.message, definition.status)),
            },
        },
        "x-kubernetes-validations": [rule.schema() for rule in rules],
    }
    return {
        "name": version.name,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [c.schema() for c in _around(definition, version)],
    }


def _around(definition: Definition, version: Version) -> list[Column]:
    narrow = [column for column in version.columns if not column.wide]
    wide = [column for column in version.columns if column.wide]
    accepted = [ACCEPTED] if definition.taken_in else []
    return [READY, REASON, *narrow, AGE, *wide, *accepted, MESSAGE]


def _name_rule(api: ApiKind) -> Rule:
    """The name of an object becomes the id of a resource, which may have less in it."""
    limits, characters = (
        (RESOURCE_ID, "digits and hyphens")
        if api.namespaced
        else (CATALOG_ID, "digits, hyphens and dots")
    )
    return Rule(
        f"size(self.metadata.name) <= 63 && self.metadata.name.matches(r'{limits['pattern']}')",
        f"metadata.name is the id of the resource: up to 63 lower-case letters, {characters}, "
        "beginning with a letter and ending with a letter or digit",
        field=".metadata.name",
    )


def _immutables(definition: Definition, version: Version) -> list[Rule]:
    """A declaration that was refused can be mended; what is there cannot become another thing."""
    rules = []
    for item in version.spec:
        if not is_immutable(item):
            continue
        new, old = f"self.spec.{item.name}", f"oldSelf.spec.{item.name}"
        same = f"{new} == {old}"
        if not is_required(item):
            # what was left open may be said later: the API says it when it takes an object's declaration back
            same = f"!has({old}) || (has({new}) && {same})"
        rules.append(
            Rule(
                f"!has(self.status) || !has(self.status.uid) || ({same})",
                f"{item.name} cannot be changed once the {definition.api.kind} exists; "
                "make another one with the value that you want",
                field=f".spec.{item.name}",
            )
        )
    return rules
