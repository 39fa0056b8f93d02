"""OpenAPI operations from the methods of the protos."""

from collections.abc import Mapping
from typing import Any, Final

from google.longrunning import operations_pb2
from google.protobuf.descriptor import FieldDescriptor

from cycloud.compute.v1 import instance_pb2
from cycloud.core.aip.openapi.answers import error_refs, header_refs
from cycloud.core.aip.openapi.examples import Examples
from cycloud.core.aip.openapi.protos import Api, Method, message_in
from cycloud.core.aip.openapi.schemas import Components, Json, Use, is_required
from cycloud.core.aip.rpc.bindings import MethodKind

__all__ = ["HEADER_PARAMETERS", "Operations", "query_fields", "tag_of"]

JSON_TYPE: Final = "application/json"
EVENT_STREAM: Final = "text/event-stream"
_PATH_ID: Final[Json] = {"type": "string", "minLength": 1, "pattern": "^[^/:]+$"}
# Google's own requests lack what all others have
_EXTRA_QUERY: Final[Mapping[str, tuple[str, ...]]] = {
    "ListOperations": ("order_by", "show_deleted", "read_mask"),
    "GetOperation": ("read_mask",),
    "DeleteOperation": ("etag", "allow_missing", "validate_only"),
}
# what Google's protos have and Cycloud, which has one location, does not
_ABSENT_QUERY: Final[Mapping[str, frozenset[str]]] = {
    "ListOperations": frozenset({"return_partial_success"})
}
_LIKE: Final[Mapping[MethodKind, Any]] = {
    MethodKind.LIST: instance_pb2.ListInstancesRequest.DESCRIPTOR,
    MethodKind.GET: instance_pb2.GetInstanceRequest.DESCRIPTOR,
    MethodKind.DELETE: instance_pb2.DeleteInstanceRequest.DESCRIPTOR,
}


def _header(name: str, description: str, **schema: object) -> Json:
    return {
        "name": name,
        "in": "header",
        "description": description,
        "schema": {"type": "string", **schema},
    }


HEADER_PARAMETERS: Final[Mapping[str, Json]] = {
    "RequestId": _header(
        "X-Request-Id",
        "An id of the caller's for this request: up to 64 letters, digits, `.`, `_` and `-`; another one is made where "
        "it is none. It is in the answer, the audit log and the logs. Not the `request_id` of AIP-155.",
    ),
    "Language": _header(
        "Accept-Language",
        "The language of LocalizedMessage in errors: `en` (the default) or `ja`.",
        examples=["ja"],
    ),
    "IfNoneMatch": _header(
        "If-None-Match", "The ETag of an earlier answer: 304 without a body if nothing changed."
    ),
    "IfMatch": _header(
        "If-Match", "The etag that the resource must still have (AIP-154); the same as `etag`."
    ),
    "LastEventId": _header(
        "Last-Event-ID",
        "The `id` of the last event, as a browser's EventSource sends it; it goes before resource_version.",
        maxLength=40,
    ),
}
_HEADERS: Final[Mapping[MethodKind, tuple[str, ...]]] = {
    MethodKind.LIST: ("IfNoneMatch",),
    MethodKind.GET: ("IfNoneMatch",),
    MethodKind.CREATE: (),
    MethodKind.UPDATE: ("IfMatch",),
    MethodKind.DELETE: ("IfMatch",),
    MethodKind.CUSTOM: ("IfMatch",),
    MethodKind.WATCH: ("LastEventId",),
}
_READS: Final = (MethodKind.LIST, MethodKind.GET)
_WITH_BODY: Final = (MethodKind.CREATE, MethodKind.UPDATE, MethodKind.CUSTOM)


def tag_of(method: Method) -> str:
    """Return the service's name without the word: Instances are under Instance."""
    return str(method.descriptor.containing_service.name).removesuffix("Service")


class Operations:
    """Makes the operations; the schemas that they name are collected in ``components``."""

    def __init__(self, api: Api, components: Components, examples: Examples) -> None:
        self._api = api
        self._components = components
        self._examples = examples

    def operation(self, method: Method) -> Json:
        """Return the operation of a method."""
        text = self._api.comment(method.descriptor)
        operation: Json = {
            "operationId": method.name,
            "summary": _summary(text),
            "description": text,
            "tags": [tag_of(method)],
            "parameters": self._parameters(method),
            "responses": {**self._success(method), **error_refs(_refusals(method))},
        }
        body = self._body(method)
        if body:
            operation["requestBody"] = body
        return operation

    def _parameters(self, method: Method) -> list[Json]:
        path = [
            {
                "name": name,
                "in": "path",
                "required": True,
                "description": f"The id of the {name.replace('_', ' ')}.",
                "schema": _PATH_ID,
                "example": self._examples.id_of(name),
            }
            for name in method.parameters
        ]
        names = [*_HEADERS[method.binding.kind], "Language", "RequestId"]
        if _is_of_operations(method) and method.binding.kind not in _READS:
            names.remove("IfMatch")
        headers = [{"$ref": f"#/components/parameters/{name}"} for name in names]
        return [*path, *(self._query(field, method) for field in query_fields(method)), *headers]

    def _query(self, field: FieldDescriptor, method: Method) -> Json:
        schema = self._components.field(field, Use.INPUT)
        # there is no null in a query
        if isinstance(schema.get("type"), list):
            schema["type"] = schema["type"][0]
        if "anyOf" in schema:
            schema = {**schema.pop("anyOf")[0], **schema}
        if schema.get("format") == "uuid":
            # an empty one is none, as in protobuf
            schema["pattern"] = "^([0-9a-fA-F-]{36})?$"
            del schema["format"]
        if field.name == "page_size":
            schema["minimum"] = 0
        description = schema.pop("description", "")
        if method.name in _EXTRA_QUERY:
            description = description.replace("an instance", "an operation").replace(
                "instance", "operation"
            )
        parameter: Json = {"name": field.name, "in": "query", "description": description}
        if is_required(field):
            parameter["required"] = True
        return {**parameter, "schema": schema}

    def _body(self, method: Method) -> Json | None:
        if method.body_is_request:
            schema = self._components.message(
                method.request, Use.INPUT, without=method.binding.name_field
            )
            required = bool(_required_of(self._components, schema))
        elif method.binding.body_field:
            message = message_in(method.request, method.binding.body_field)
            use = Use.UPDATE if method.binding.kind is MethodKind.UPDATE else Use.INPUT
            schema = self._components.message(message, use)
            required = bool(_required_of(self._components, schema))
        else:
            return None
        content: Json = {"schema": schema}
        example = self._examples.request(method)
        if example is not None:
            content["examples"] = {method.name: {"value": example}}
        return {"required": required, "content": {JSON_TYPE: content}}

    def _success(self, method: Method) -> dict[str, Json]:
        if method.binding.kind is MethodKind.WATCH:
            return {"200": self._stream(method)}
        output = method.descriptor.output_type
        schema = self._components.message(output, Use.ANSWER)
        content: Json = {"schema": schema}
        example = self._examples.answer(method)
        if example is not None:
            content["examples"] = {method.name: {"value": example}}
        headers = ["X-Request-Id"]
        if method.binding.kind in _READS or "etag" in output.fields_by_name:
            headers.append("ETag")
        answers = {
            "200": {
                "description": self._answer_text(method),
                "headers": header_refs(*headers),
                "content": {JSON_TYPE: content},
            }
        }
        if method.binding.kind in _READS:
            answers["304"] = {
                "description": "Nothing changed since the answer whose ETag was sent.",
                "headers": header_refs(*headers),
            }
        return answers

    def _answer_text(self, method: Method) -> str:
        output = method.descriptor.output_type
        info = method.descriptor.GetOptions().Extensions[operations_pb2.operation_info]
        if info.response_type:
            name = info.response_type.rpartition(".")[2]
            return f"The operation. When it is done, its `response` is of the type `{name}`."
        if output.full_name == "google.protobuf.Empty":
            return "An empty object: it is done."
        return self._api.comment(output) or f"{output.name}."

    def _stream(self, method: Method) -> Json:
        event = self._components.message(method.descriptor.output_type, Use.ANSWER)
        name = event["$ref"].rpartition("/")[2]
        return {
            "description": f"Server-sent events until the client goes away. Each `data` is a `{name}` as JSON, its "
            "`id` the resource_version to resume from. A watch that Cycloud ends says why in a last event `error`, "
            "whose `data` is an `Error`.",
            "headers": header_refs("X-Request-Id"),
            "content": {
                EVENT_STREAM: {
                    "schema": {"type": "string", "x-event-data": event},
                    "examples": {method.name: {"value": self._examples.event(method)}},
                }
            },
        }


def query_fields(method: Method) -> list[FieldDescriptor]:
    """Return the fields of the request, and of one like it of an instance, that are in the query."""
    absent = _ABSENT_QUERY.get(method.name, frozenset())
    fields = [field for field in method.query_fields if field.name not in absent]
    known = _LIKE[method.binding.kind].fields_by_name if method.name in _EXTRA_QUERY else {}
    return [*fields, *(known[name] for name in _EXTRA_QUERY.get(method.name, ()))]


def _summary(text: str) -> str:
    """Return the first sentence."""
    return text.partition(". ")[0].rstrip(".").partition("\n")[0]


def _is_of_operations(method: Method) -> bool:
    return str(method.descriptor.full_name).startswith("google.longrunning.")


def _required_of(components: Components, schema: Json) -> list[str]:
    name = schema["$ref"].rpartition("/")[2]
    required: list[str] = components.schemas[name].get("required", [])
    return required


def _can_create(method: Method) -> bool:
    service = method.descriptor.containing_service
    return any(other.name.startswith("Create") for other in service.methods)


def _refusals(method: Method) -> list[int]:
    """Return the statuses that a method can be refused with."""
    kind = method.binding.kind
    statuses = [400, 401, 403, 429, 500, 503]
    if kind not in _READS and kind is not MethodKind.WATCH:
        statuses.append(409)
    if kind in _WITH_BODY:
        statuses += [413, 415]
    if kind is MethodKind.WATCH:
        statuses.append(410)
    if kind is MethodKind.UPDATE and not _can_create(method):
        # with allow_missing
        statuses.append(405)
    if method.parameters or kind is MethodKind.CREATE:
        statuses.append(404)
    return statuses
