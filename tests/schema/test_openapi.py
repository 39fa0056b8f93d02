"""The OpenAPI schema is valid and complete, and each example in it is what it stands for."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from drf_spectacular.validation import validate_schema
from google.api import field_behavior_pb2
from google.protobuf.descriptor import Descriptor
from google.protobuf.json_format import ParseDict
from google.protobuf.message_factory import GetMessageClass
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from cycloud.core.aip.openapi.examples import read_examples
from cycloud.core.aip.openapi.generator import ApiSchemaGenerator
from cycloud.core.aip.openapi.protos import Method, message_in, read_api
from cycloud.core.aip.rpc.bindings import MethodKind

Behavior = field_behavior_pb2.FieldBehavior
METHODS = read_api().methods
by_name = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


@cache
def schema() -> Any:
    return ApiSchemaGenerator().get_schema(public=True)


def operation(method: Method) -> Any:
    return schema()["paths"][method.path][method.http]


def validator(reference: dict[str, Any]) -> Draft202012Validator:
    """Return what checks a value against a schema of the document."""
    document = DRAFT202012.create_resource(schema())
    target = {"$ref": f"urn:api{reference['$ref']}"} if "$ref" in reference else reference
    return Draft202012Validator(target, registry=Registry[Any]().with_resource("urn:api", document))


def walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from walk(inner)


def test_it_is_valid_openapi_3_1_and_every_reference_leads_somewhere() -> None:
    assert schema()["openapi"].startswith("3.1.")
    validate_schema(schema())
    references = {found["$ref"] for found in walk(schema()) if isinstance(found.get("$ref"), str)}
    assert len(references) > 100
    for reference in references:
        target = schema()
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]
    for component in schema()["components"]["schemas"].values():
        Draft202012Validator.check_schema(component)


def test_nothing_is_defined_that_nothing_uses() -> None:
    used = {found["$ref"] for found in walk(schema()) if isinstance(found.get("$ref"), str)}
    defined = {
        f"#/components/{kind}/{name}"
        for kind in ("schemas", "responses", "headers", "parameters")
        for name in schema()["components"][kind]
    }
    assert defined - used == set()


@by_name
def test_every_method_is_an_operation_of_its_name(method: Method) -> None:
    found = operation(method)
    assert found["operationId"] == method.name
    assert found["summary"]
    assert found["tags"][0] in {tag["name"] for tag in schema()["tags"]}
    in_path = [p["name"] for p in found["parameters"] if p.get("in") == "path"]
    assert in_path == list(method.parameters)
    assert ("requestBody" in found) == (method.body_is_request or bool(method.binding.body_field))
    undescribed = [p for p in found["parameters"] if "$ref" not in p and not p["description"]]
    assert undescribed == []


@by_name
def test_every_operation_tells_its_refusals_and_their_shape(method: Method) -> None:
    answers = operation(method)["responses"]
    assert {"200", "400", "401", "403", "429", "500", "503"} <= set(answers)
    for status, answer in answers.items():
        if status < "400":
            continue
        refusal = schema()["components"]["responses"][answer["$ref"].rpartition("/")[2]]
        body = refusal["content"]["application/json"]
        (example,) = body["examples"].values()
        validator(body["schema"]).validate(example["value"])
        assert example["value"]["error"]["code"] == int(status)


def test_everything_but_the_schema_itself_needs_a_token() -> None:
    assert schema()["security"] == [{"bearer": []}]
    assert not any(
        "security" in found for path in schema()["paths"].values() for found in path.values()
    )


@by_name
def test_the_example_of_an_answer_is_one(method: Method) -> None:
    content = operation(method)["responses"]["200"]["content"]
    if method.binding.kind is MethodKind.WATCH:
        media = content["text/event-stream"]
        text = media["examples"][method.name]["value"]
        answer = json.loads(text.partition("data: ")[2])
        validator(media["schema"]["x-event-data"]).validate(answer)
    else:
        answer = content["application/json"]["examples"][method.name]["value"]
        validator(content["application/json"]["schema"]).validate(answer)
    ParseDict(answer, GetMessageClass(method.descriptor.output_type)())


@by_name
def test_the_example_of_a_request_is_one(method: Method) -> None:
    if "requestBody" not in operation(method):
        return
    media = operation(method)["requestBody"]["content"]["application/json"]
    body = media["examples"][method.name]["value"]
    validator(media["schema"]).validate(body)
    message = method.request
    if method.binding.body_field:
        message = message_in(message, method.binding.body_field)
    ParseDict(body, GetMessageClass(message)())


def test_the_examples_of_resources_have_all_fields() -> None:
    resources = read_examples().resources
    outputs = {
        m.descriptor.output_type.full_name for m in METHODS if m.binding.kind is MethodKind.GET
    }
    assert set(resources) == outputs - {"google.longrunning.Operation"}
    missing = {}
    for method in METHODS:
        message = method.descriptor.output_type
        if method.binding.kind is MethodKind.GET and message.full_name in resources:
            shown = set(resources[message.full_name]["answer"])
            missing[message.name] = _shown_fields(message) ^ shown
    # what only operators see, what only a creation shows
    assert {name: fields for name, fields in missing.items() if fields} == {
        "InstanceType": {"placements", "managed_by"},
        "VolumeType": {"placements", "managed_by"},
        "PublicImage": {"provider_images", "managed_by"},
        "Token": {"secret"},
        "ServiceAccountKey": {"secret"},
    }


def _shown_fields(message: Descriptor) -> set[str]:
    return {
        field.name
        for field in message.fields
        if Behavior.INPUT_ONLY
        not in field.GetOptions().Extensions[field_behavior_pb2.field_behavior]
    }


def test_required_and_output_only_are_as_the_protos_say() -> None:
    schemas = schema()["components"]["schemas"]
    instance, given, changed = (
        schemas[name] for name in ("Instance", "InstanceInput", "InstanceUpdate")
    )
    wanted = {"instance_type", "availability_zone", "volumes", "network_interfaces"}
    assert set(given["required"]) == wanted
    assert "required" not in instance
    assert "required" not in changed
    assert instance["properties"]["state"]["readOnly"] is True
    assert instance["properties"]["create_time"]["format"] == "date-time"
    assert schemas["InstanceState"]["enum"][:2] == ["PENDING", "RUNNING"]
    assert schemas["OpenStackClusterInput"]["properties"]["password"]["writeOnly"] is True
    assert "password" not in schemas["OpenStackCluster"]["properties"]
    assert "moves to" in instance["description"]


def test_the_schema_is_served_and_who_has_it_gets_304(client: Client) -> None:
    first = client.get("/v1/openapi.json")
    assert first.status_code == 200
    assert first["Content-Type"] == "application/json"
    assert first.json() == schema()
    assert "public" in first["Cache-Control"]
    again = client.get("/v1/openapi.json", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/v1/openapi.json", headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize("path", ["/v1/openapi.json", "/v1/docs"])
def test_it_can_only_be_read(path: str) -> None:
    refused = Client(enforce_csrf_checks=True).post(path)
    assert (refused.status_code, refused["Allow"]) == (405, "GET, HEAD")
    assert refused.json()["error"]["details"][0]["reason"] == "METHOD_NOT_ALLOWED"


def test_the_page_for_people_is_made_of_files_of_our_own(client: Client) -> None:
    page = client.get("/v1/docs")
    assert page.status_code == 200
    assert "default-src 'none'" in page["Content-Security-Policy"]
    text = page.content.decode()
    links = [
        part.partition('"')[0] for word in ('src="', 'href="') for part in text.split(word)[1:]
    ]
    files = [link.removeprefix("/static/") for link in links if link.startswith("/static/")]
    assert len(files) == 5
    assert [name for name in files if finders.find(name) is None] == []
    assert not any("//" in link for link in links)
