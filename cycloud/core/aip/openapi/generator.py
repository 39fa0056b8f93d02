"""The OpenAPI 3.1 schema of the REST face, made by drf-spectacular from the URLs and the protos.

A method of the protos is an operation of the schema if a view answers its path, so the schema tells what is served;
that nothing is missing on either side is held by tests/parity/test_http_annotations.py.
"""

import re
from typing import Any, Final

from django.urls import Resolver404, resolve
from drf_spectacular.generators import SchemaGenerator

from cycloud.common.v1 import operation_pb2
from cycloud.core.aip.openapi.answers import HEADERS, add_error_schemas, error_responses
from cycloud.core.aip.openapi.examples import read_examples
from cycloud.core.aip.openapi.operations import HEADER_PARAMETERS, Operations, tag_of
from cycloud.core.aip.openapi.protos import Method, read_api
from cycloud.core.aip.openapi.schemas import Components, Json
from cycloud.core.aip.rest.errors import unknown_url

__all__ = ["ApiSchemaGenerator", "is_served"]

# the second part of the packages' names
_ORDER: Final = ("compute", "networking", "longrunning", "iam", "catalog")
_SECURITY: Final[Json] = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API token, or a token of the identity provider where one is set up.",
    }
}


class ApiSchemaGenerator(SchemaGenerator):
    """Puts the operations of the protos where drf-spectacular would put those that it guesses from views."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[no-untyped-call]
        self._api = read_api()
        self._methods = [method for method in self._api.methods if is_served(method)]
        self._components = Components(self._api)

    def parse(self, input_request: object, public: bool) -> Json:
        """Return ``paths``."""
        metadata: Any = operation_pb2.OperationMetadata
        self._components.with_type(metadata.DESCRIPTOR)
        add_error_schemas(self._components)
        operations = Operations(self._api, self._components, read_examples())
        paths: Json = {}
        for method in sorted(self._methods, key=lambda method: (_rank(method), method.path)):
            paths.setdefault(method.path, {})[method.http] = operations.operation(method)
        return paths

    def get_schema(self, request: object = None, public: bool = False) -> Json:
        """Return the whole schema. It is the same for everybody: rights do not change what methods are."""
        schema: Json = super().get_schema(request, public)  # type: ignore[no-untyped-call]
        schema["security"] = [{name: []} for name in _SECURITY]
        schema["tags"] = self._tags()
        schema["components"] = {
            "headers": dict(HEADERS),
            "parameters": dict(HEADER_PARAMETERS),
            "responses": error_responses(),
            "schemas": dict(sorted(self._components.schemas.items())),
            "securitySchemes": dict(_SECURITY),
        }
        return schema

    def _tags(self) -> list[Json]:
        methods = sorted(self._methods, key=_rank)
        services = {tag_of(m): m.descriptor.containing_service for m in methods}
        return [
            {"name": name, "description": self._api.comment(service)}
            for name, service in services.items()
        ]


def _rank(method: Method) -> tuple[int, str]:
    """Return where a method's group stands: what users declare goes first, what operators offer last."""
    return _ORDER.index(method.descriptor.full_name.split(".")[1]), tag_of(method)


def is_served(method: Method) -> bool:
    """Tell whether a view answers the method's path."""
    try:
        found = resolve(re.sub(r"\{[a-z_]+\}", "x", method.path))
    except Resolver404:
        return False
    return found.func is not unknown_url
