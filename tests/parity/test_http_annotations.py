"""REST is what the google.api.http annotations of the protos say, in both directions: paths, verbs, fields."""

import re
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver
from google.api import field_behavior_pb2
from google.protobuf.descriptor import FieldDescriptor

from cycloud.core.aip.openapi.examples import read_examples
from cycloud.core.aip.openapi.generator import is_served
from cycloud.core.aip.openapi.operations import query_fields
from cycloud.core.aip.openapi.protos import Method, message_in, read_api
from cycloud.core.aip.rest.errors import unknown_url
from cycloud.core.aip.rpc.bindings import MethodKind
from cycloud.core.aip.watch import is_watched
from cycloud.rpc import COLLECTIONS
from cycloud.urls import urlpatterns
from tests.factories.rest import RestClient
from tests.schema.world import Seeded, fill_world

METHODS = read_api().methods
HTTP = ("GET", "POST", "PUT", "PATCH", "DELETE")
Behavior = field_behavior_pb2.FieldBehavior
# the options of a custom method, which every one of them has
OPTIONS = {"validate_only", "request_id", "etag"}


def path_of(method: Method, ids: dict[str, list[str]]) -> str:
    return method.path.format(**{name: ids[name][0] for name in method.parameters})


def call(client: RestClient, http: str, path: str, body: Any = None) -> Any:
    return client(http.upper(), path.removeprefix("/v1/"), body)


@pytest.fixture
def seeded(db: None) -> Seeded:
    return fill_world()


@pytest.fixture
def client(seeded: Seeded) -> RestClient:
    return RestClient(seeded.operator)


def test_every_annotated_method_has_a_view_and_its_name_is_its_own() -> None:
    assert [method.name for method in METHODS if not is_served(method)] == []
    names = [method.name for method in METHODS]
    assert len(names) == len(set(names))
    places = [(method.http, method.path) for method in METHODS]
    assert len(places) == len(set(places))


def test_every_url_below_v1_is_of_an_annotated_method() -> None:
    (rest,) = [
        entry.url_patterns
        for entry in urlpatterns
        if isinstance(entry, URLResolver) and str(entry.pattern) == "v1/"
    ]
    paths = [re.sub(r"\{[a-z_]+\}", "x", method.path).removeprefix("/v1/") for method in METHODS]
    strays = [
        str(entry.pattern)
        for entry in rest
        if isinstance(entry, URLPattern)
        and entry.callback is not unknown_url
        and not any(entry.resolve(path) for path in paths)
    ]
    assert len(rest) > 30
    assert strays == []


def test_every_method_of_every_collection_is_annotated_and_no_other() -> None:
    """What the collections support, against what the protos have: (collection, kind, verb)."""
    supported = set()
    for collection in COLLECTIONS:
        standard = {
            MethodKind.LIST: "rows",
            MethodKind.CREATE: "create",
            MethodKind.GET: "find",
            MethodKind.UPDATE: "update",
            MethodKind.DELETE: "delete",
        }
        for kind, name in standard.items():
            if collection.supports(name):
                supported.add((collection.name, kind, ""))
        supported |= {(collection.name, MethodKind.CUSTOM, verb) for verb in collection.verbs}
        if is_watched(collection):
            supported.add((collection.name, MethodKind.WATCH, "watch"))
    annotated = {(m.binding.collection, m.binding.kind, m.binding.verb) for m in METHODS}
    assert supported == annotated


def test_other_http_methods_of_a_path_are_refused(seeded: Seeded, client: RestClient) -> None:
    """405 with what there is in Allow, or 404 where the path is a custom method's or a watch's."""
    wrong = {}
    for method in METHODS:
        has = {other.http.upper() for other in METHODS if other.path == method.path}
        for http in sorted(set(HTTP) - has):
            answer = call(client, http, path_of(method, seeded.ids), {})
            allowed = {word.strip() for word in answer.headers.get("Allow", "").split(",")}
            if answer.status != 405 or allowed - {"HEAD", "OPTIONS"} != has:
                wrong[f"{http} {method.path}"] = (answer.status, sorted(allowed))
    assert wrong == {}


def test_the_query_parameters_are_the_request_fields_that_are_neither_in_the_path_nor_the_body(
    seeded: Seeded, client: RestClient
) -> None:
    served, annotated = {}, {}
    for method in METHODS:
        path = path_of(method, seeded.ids)
        answer = call(client, method.http, f"{path}?no_such_parameter=1")
        served[method.name] = _listed(answer, "Those are: ")
        annotated[method.name] = sorted(field.name for field in query_fields(method))
    assert served == annotated


def test_the_body_of_a_write_has_the_fields_of_the_message_that_can_be_set(
    seeded: Seeded, client: RestClient
) -> None:
    served, annotated = {}, {}
    for method in METHODS:
        body = read_examples().request(method)
        if body is None:
            continue
        path = path_of(method, seeded.ids) + _new_id(method)
        answer = call(client, method.http, path, {**body, "no_such_field": 1})
        served[method.name] = _listed(answer, "Fields: ")
        annotated[method.name] = sorted(_settable(method))
    assert served == annotated


def _listed(answer: Any, before: str) -> list[str] | str:
    """Read the names that a refusal lists, which are those that the method knows."""
    text = answer.json["error"]["message"]
    if answer.status != 400 or before not in text:
        return f"{answer.status}: {text}"
    names = text.rpartition(before)[2].rstrip(".")
    return [] if names == "none" else sorted(names.split(", "))


def _new_id(method: Method) -> str:
    """Return the query of a create that asks for an id of its own."""
    names = [f.name for f in query_fields(method) if f.name.endswith("_id")]
    return "?" + "&".join(f"{name}=new-1" for name in names if name != "request_id")


def _settable(method: Method) -> set[str]:
    if method.body_is_request:
        fields: list[FieldDescriptor] = list(method.request.fields)
        return {field.name for field in fields} - {method.binding.name_field} - OPTIONS
    resource = message_in(method.request, method.binding.body_field)
    never = {Behavior.OUTPUT_ONLY, Behavior.IDENTIFIER}
    if method.binding.kind is MethodKind.UPDATE:
        never.add(Behavior.IMMUTABLE)
    # the etag is no field to set: it is compared
    return {field.name for field in resource.fields if not never & _behaviors(field)} - {"etag"}


def _behaviors(field: FieldDescriptor) -> set[int]:
    return set(field.GetOptions().Extensions[field_behavior_pb2.field_behavior])
