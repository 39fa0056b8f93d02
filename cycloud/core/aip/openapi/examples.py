"""Examples for the schema, from ``examples.json``: what resources look like in answers and in requests.

A test holds that each is a message of the proto that it stands for, and fits the schema.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from google.longrunning import operations_pb2

from cycloud.core.aip.openapi.protos import Method, message_in
from cycloud.core.aip.rpc.bindings import MethodKind

__all__ = ["Examples", "read_examples"]

Json = dict[str, Any]
_PREFIX: Final = "type.googleapis.com/"
_EMPTY: Final = "google.protobuf.Empty"
_UPDATES: Final = "2026-03-02T09:30:05.000000Z"
_VERSION: Final = "4711"


@dataclass(frozen=True)
class Examples:
    """``resources`` are by the message's full name, ``verbs`` by the method's name, ``ids`` by what paths call them."""

    ids: Json
    resources: dict[str, Json]
    verbs: dict[str, Json]

    def id_of(self, placeholder: str) -> str:
        return str(self.ids[placeholder])

    def request(self, method: Method) -> Json | None:
        """Return the body of a request, or None for a method that has none."""
        if method.body_is_request:
            return self.verbs.get(method.name, {})
        body = method.binding.body_field
        if not body:
            return None
        kind = "update" if method.binding.kind is MethodKind.UPDATE else "create"
        message = message_in(method.request, body)
        example: Json = self.resources[message.full_name][kind]
        return example

    def answer(self, method: Method) -> Json:
        """Return the body of a good answer."""
        output = method.descriptor.output_type
        if output.full_name == operations_pb2.Operation.DESCRIPTOR.full_name:
            return self._operation(method)
        if method.binding.kind is MethodKind.LIST:
            return self._page(output)
        if method.name in self.verbs:
            return self.verbs[f"{method.name}Answer"]
        if output.full_name == _EMPTY:
            return {}
        answer: Json = self.resources[output.full_name]["answer"]
        return self._with_secret(method, answer)

    def event(self, method: Method) -> str:
        """Return one server-sent event of a watch."""
        resource = message_in(method.descriptor.output_type, "resource")
        data = {
            "type": "ADDED",
            "resource": self.resources[resource.full_name]["answer"],
            "resource_version": _VERSION,
        }
        return f"id: {_VERSION}\ndata: {json.dumps(data)}\n\n"

    def _with_secret(self, method: Method, answer: Json) -> Json:
        """Return the answer with what only a creation shows."""
        once = self.resources[method.descriptor.output_type.full_name].get("created", {})
        return {**answer, **once} if method.binding.kind is MethodKind.CREATE else answer

    def _page(self, output: Any) -> Json:
        repeated = next(field for field in output.fields if field.is_repeated)
        name = repeated.message_type.full_name
        item = self._done() if name.endswith(".Operation") else self.resources[name]["answer"]
        page: Json = {repeated.name: [item], "next_page_token": ""}
        if "resource_version" in output.fields_by_name:
            page["resource_version"] = _VERSION
        return page

    def _operation(self, method: Method) -> Json:
        info = method.descriptor.GetOptions().Extensions[operations_pb2.operation_info]
        if not info.response_type:
            return self._done()
        resource = method.request.file.message_types_by_name[_resource_of(method)]
        target = self.resources[resource.full_name]["answer"]["name"]
        verb = method.binding.verb or method.binding.kind.value
        return {**self._begun(verb, target), "done": False}

    def _done(self) -> Json:
        name = "cycloud.compute.v1.Instance"
        instance = self.resources[name]["answer"]
        begun = self._begun("create", instance["name"])
        return {
            **begun,
            "metadata": {**begun["metadata"], "end_time": _UPDATES},
            "done": True,
            "response": {"@type": f"{_PREFIX}{name}", **instance},
        }

    def _begun(self, verb: str, target: str) -> Json:
        return {
            "name": f"projects/{self.ids['project']}/operations/{self.ids['operation']}",
            "metadata": {
                "@type": f"{_PREFIX}cycloud.common.v1.OperationMetadata",
                "verb": verb,
                "target": target,
                "create_time": "2026-03-02T09:30:00.000000Z",
                "end_time": None,
                "progress_message": "",
                "progress_step": 0,
                "progress_total": 0,
            },
        }


def _resource_of(method: Method) -> str:
    """Return the message that a method of a service is about: the one whose name the service has."""
    return str(method.descriptor.containing_service.name).removesuffix("Service")


@cache
def read_examples() -> Examples:
    raw = json.loads(files("cycloud.core.aip.openapi").joinpath("examples.json").read_text())
    return Examples(raw["ids"], raw["resources"], raw["verbs"])
