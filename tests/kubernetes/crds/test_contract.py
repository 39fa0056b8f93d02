"""One source: what objects have is what the protos have, or somebody said why not."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import pytest
from google.api import resource_pb2

from cycloud.core.aip.openapi.protos import read_api
from cycloud.kubernetes.crds import all_definitions, definitions
from cycloud.kubernetes.crds.definition import Category, Definition
from cycloud.kubernetes.crds.fields import Field
from cycloud.kubernetes.crds.schemas import is_immutable, is_required, message_fields, source_of
from cycloud.kubernetes.crds.status import EVERYWHERE, status_fields

DEFINITIONS: Final = all_definitions()
MIRRORS: Final = [item for item in DEFINITIONS if item.message]
# resources of the public contract that are no objects
NO_OBJECTS: Final = {
    "AvailabilityZone": "an id in other objects; taking a cluster in makes it",
    "InstanceFamily": "an id in InstanceType; taking one in makes it",
    "Project": "a namespace stands for it",
    "Member": "Kubernetes has RBAC of its own",
    "ServiceAccount": "Kubernetes has service accounts of its own",
    "ServiceAccountKey": "a secret",
    "Token": "a secret",
    "AuditEntry": "Events and the API server's audit log tell what happened to objects",
    "Quota": "set over the API",
}


def _walk(fields: Iterable[Field]) -> Iterator[Field]:
    for item in fields:
        yield item
        yield from _walk(item.fields)


def _all_fields(definition: Definition) -> list[Field]:
    return list(_walk([*definition.spec, *status_fields(definition.message, definition.status)]))


def _mapped(definition: Definition) -> set[str]:
    return {item.source for item in _all_fields(definition) if item.source}


def _named(items: Iterable[Definition]) -> list[Any]:
    return [pytest.param(item, id=item.api.kind) for item in items]


@pytest.mark.parametrize("definition", _named(MIRRORS))
def test_every_field_of_a_mirrored_message_is_mapped_or_left_out_with_a_reason(
    definition: Definition,
) -> None:
    mapped = _mapped(definition)
    messages = {source.rpartition(".")[0] for source in mapped}
    everywhere = {f"{definition.message}.{name}" for name in EVERYWHERE}
    known = mapped | definition.left_out.keys() | everywhere
    missing = [
        field
        for message in sorted(messages)
        for field in message_fields(message)
        if field not in known
    ]
    assert definition.message in messages
    assert missing == []


@pytest.mark.parametrize("definition", _named(MIRRORS))
def test_what_is_left_out_is_there_and_not_mapped(definition: Definition) -> None:
    for field, reason in definition.left_out.items():
        assert field in message_fields(field.rpartition(".")[0])
        assert field not in _mapped(definition)
        assert len(reason) > 10


def test_every_resource_of_the_public_contract_is_a_kind_or_somebody_said_why_not() -> None:
    files = {method.descriptor.containing_service.file for method in read_api().methods}
    resources = {
        message.name
        for file in files
        for message in file.message_types_by_name.values()
        if message.GetOptions().Extensions[resource_pb2.resource].type
    }
    mirrored = {item.message.rpartition(".")[2] for item in MIRRORS}
    assert resources - mirrored == NO_OBJECTS.keys()


@pytest.mark.parametrize("definition", _named(DEFINITIONS))
def test_every_field_tells_what_it_means(definition: Definition) -> None:
    rendered = next(d for d in definitions() if d["metadata"]["name"] == definition.api.definition)
    for version in rendered["spec"]["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        assert schema["description"]
        for name, found in _properties(schema):
            # a scalar of a list is told by its list; metadata is the API server's
            assert found.get("description"), f"{definition.api.kind}: {name}"


def _properties(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, found in schema.get("properties", {}).items():
        if path == "" and name == "metadata":
            continue
        yield f"{path}.{name}", found
        yield from _properties(found, f"{path}.{name}")
        yield from _properties(found.get("items", {}), f"{path}.{name}[]")


def test_comments_call_fields_and_values_as_objects_do() -> None:
    texts = [
        str(found["description"])
        for item in definitions()
        for version in item["spec"]["versions"]
        for _, found in _properties(version["schema"]["openAPIV3Schema"])
        if "description" in found
    ]
    assert "What is wanted: Running (the default) or Stopped." in texts
    assert not [text for text in texts if "_" in text]


def test_the_protos_say_what_is_required_and_what_is_immutable() -> None:
    spec = {
        item.name: item
        for definition in MIRRORS
        if definition.api.kind == "Volume"
        for item in definition.spec
    }
    assert [name for name, item in spec.items() if is_required(item)] == [
        "volumeType",
        "availabilityZone",
        "size",
    ]
    assert [name for name, item in spec.items() if is_immutable(item)] == [
        "volumeType",
        "availabilityZone",
        "image",
    ]


def test_a_field_that_no_message_has_is_an_error() -> None:
    with pytest.raises(KeyError):
        source_of(Field("x", source="cycloud.compute.v1.Instance.hypervisor"))


@pytest.mark.parametrize(
    "definition", _named(d for d in DEFINITIONS if d.category == Category.INTERFACE)
)
def test_what_a_project_reads_has_no_place_for_a_cluster_or_a_provider(
    definition: Definition,
) -> None:
    names = [item.name.lower() for item in _all_fields(definition)]
    assert not [n for n in names if any(word in n for word in ("cluster", "provider", "backend"))]


def test_no_object_has_a_place_for_a_secret() -> None:
    names = {item.name.lower() for definition in DEFINITIONS for item in _all_fields(definition)}
    assert not [n for n in names if any(word in n for word in ("password", "token", "secret"))]
