"""The standard methods of AIP-131 to 136 for any Collection."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from rest_framework.authentication import CSRFCheck
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json
from cycloud.core.aip.errors import InvalidArgument, NotFound, PermissionDenied
from cycloud.core.aip.filters import order_columns, parse_filter
from cycloud.core.aip.masks import parse_mask
from cycloud.core.aip.pages import page_of, page_size_of
from cycloud.core.aip.representation import OUTPUT_ONLY
from cycloud.core.aip.rest.errors import exception_handler
from cycloud.core.aip.rest.operations import dry_run_json, written_json
from cycloud.core.aip.rest.parser import StrictJSONParser, check_text
from cycloud.core.aip.rest.requests import (
    WRITE_PARAMETERS,
    check_query,
    flag,
    query_text,
    write_options,
)
from cycloud.core.aip.writes import WriteOptions, Written
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.authentication import actor_for_request, has_bearer_token, request_id_of

__all__ = ["CollectionView", "MemberView", "RestView"]

R = TypeVar("R", bound=Model)


class _AlwaysJSON(BaseContentNegotiation):
    """There is one format, whatever Accept says."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> Any:
        wanted = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == wanted), None)

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> Any:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class RestView(APIView):
    """Base of all REST views: who asks, CSRF for sessions, errors as AIP-193, no caching by others."""

    parser_classes = [StrictJSONParser]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = _AlwaysJSON
    authentication_classes = []
    permission_classes = []
    throttle_classes = []
    actor: Actor

    def get_exception_handler(self) -> Callable[..., Response]:
        return exception_handler

    def perform_authentication(self, request: Request) -> None:
        """Leave the session's user in place: DRF would set none, as there are no classes of its own."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.actor = actor_for_request(request._request)
        if not has_bearer_token(request._request):
            _check_csrf(request._request)
        for field, value in kwargs.items():
            check_text(str(value or ""), field)
        if request.method not in self.allowed_methods:
            raise MethodNotAllowed(str(request.method))

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        final = super().finalize_response(request, response, *args, **kwargs)
        final["X-Request-Id"] = request_id_of(request._request)
        patch_cache_control(final, private=True, no_cache=True)
        return final


def _no_view(request: HttpRequest) -> HttpResponse:
    """Stand for the view that Django's check wants to know; it is never called."""
    return HttpResponse()


def _check_csrf(request: HttpRequest) -> None:
    check = CSRFCheck(_no_view)
    check.process_request(request)
    reason = check.process_view(request, _no_view, (), {})
    if reason:
        raise PermissionDenied(
            f"The request has no good CSRF token ({reason}). Send it in the header X-CSRFToken, or use an "
            "API token instead of the session.",
            reason="CSRF_FAILED",
        )


class _ResourceView(RestView, Generic[R]):
    """A view of one collection, which ``as_view(collection=...)`` gives it."""

    collection: Collection[R] = None  # type: ignore[assignment]

    def call(self, options: WriteOptions | None = None) -> Call:
        return Call(self.actor, str(self.kwargs.get("project_id", "")), options or WriteOptions())

    def json_body(self, request: Request) -> Json:
        data = request.data
        if not isinstance(data, dict):
            raise InvalidArgument("The body must be a JSON object.", reason="INVALID_JSON")
        return dict(data)

    def answer(self, result: Any, options: WriteOptions) -> Response:
        """Answer a write: an operation, the resource, or an empty object."""
        if isinstance(result, Written):
            shape = dry_run_json if options.validate_only else written_json
            return Response(shape(result, self._shown))
        if result is None:
            return Response({})
        return _with_etag(Response(self.collection.to_json(result, self.actor)))

    def _shown(self, resource: R) -> Json:
        return self.collection.to_json(resource, self.actor)

    def write_parameters(self) -> set[str]:
        """Return the query parameters that every write of this collection may have."""
        return set(
            WRITE_PARAMETERS
            if self.collection.remembers_requests
            else WRITE_PARAMETERS - {"request_id"}
        )

    def supported(self, methods: Mapping[str, str]) -> list[str]:
        return [
            http
            for http, method in methods.items()
            if http == "HEAD" or self.collection.supports(method)
        ]


class CollectionView(_ResourceView[R]):
    """List and create."""

    @property
    def allowed_methods(self) -> list[str]:
        return self.supported({"GET": "rows", "HEAD": "rows", "POST": "create"})

    def get(self, request: Request, **path: str) -> Response:
        known = {"page_size", "page_token", "filter", "order_by", "show_deleted"}
        check_query(request, known)
        collection, call = self.collection, self.call()
        text, order_text = query_text(request, "filter"), query_text(request, "order_by")
        condition = parse_filter(text, collection.filters)
        order = order_columns(order_text, collection.orders, collection.default_order)
        size = page_size_of(query_text(request, "page_size"))
        show_deleted = flag(request, "show_deleted")
        page = page_of(
            collection.rows(call, show_deleted).filter(condition),
            order=order,
            scope=[call.project_id, collection.name, text, str(show_deleted)],
            size=size,
            token=query_text(request, "page_token"),
        )
        body = {
            collection.list_key: collection.list_json(page.items, self.actor),
            "next_page_token": page.next_page_token,
        }
        return _unless_known(request, Response(body))

    def post(self, request: Request, **path: str) -> Response:
        check_query(request, {self.collection.id_parameter} | (self.write_parameters() - {"etag"}))
        options = write_options(request)
        body = _without_output_only(self.json_body(request), self.collection)
        resource_id = query_text(request, self.collection.id_parameter) or None
        result = self.collection.create(self.call(options), resource_id, Body(body))
        return self.answer(result, options)


class MemberView(_ResourceView[R]):
    """Get, update, delete and custom methods of one resource."""

    @property
    def allowed_methods(self) -> list[str]:
        if self.kwargs.get("verb"):
            return ["POST"]
        return self.supported(
            {"GET": "find", "HEAD": "find", "PATCH": "update", "DELETE": "delete"}
        )

    def get(self, request: Request, resource_id: str, **path: str | None) -> Response:
        check_query(request, set())
        resource = self.collection.find(self.call(), resource_id)
        return _unless_known(
            request, _with_etag(Response(self.collection.to_json(resource, self.actor)))
        )

    def patch(self, request: Request, resource_id: str, **path: str | None) -> Response:
        check_query(request, self.write_parameters() | {"update_mask"})
        data = self.json_body(request)
        options = write_options(request, data.get("etag"))
        data = _without_output_only(data, self.collection)
        mask_text = query_text(request, "update_mask")
        call = self.call(options)
        if not mask_text:
            data = self._without_unchanged(call, resource_id, data)
        mask = parse_mask(
            mask_text,
            updatable=self.collection.updatable,
            output_only=OUTPUT_ONLY | self.collection.output_only | {"etag"},
            body=data,
        )
        result = self.collection.update(call, resource_id, Body(data, mask=mask))
        return self.answer(result, options)

    def _without_unchanged(self, call: Call, resource_id: str, data: Json) -> Json:
        """Leave out immutable fields that are sent back as they were read; refuse changed ones."""
        sent = self.collection.immutable & set(data)
        if not sent:
            return data
        current = self.collection.to_json(self.collection.find(call, resource_id), self.actor)
        for field in sorted(sent):
            if data[field] != current.get(field):
                raise InvalidArgument.field(
                    field, "cannot be changed after creation. Make a new resource.", "IMMUTABLE"
                )
        return {field: value for field, value in data.items() if field not in sent}

    def delete(self, request: Request, resource_id: str, **path: str | None) -> Response:
        check_query(request, self.write_parameters())
        options = write_options(request)
        return self.answer(self.collection.delete(self.call(options), resource_id), options)

    def post(
        self, request: Request, resource_id: str, verb: str | None = None, **path: str
    ) -> Response:
        if verb not in self.collection.verbs:
            known = ", ".join(f":{word}" for word in sorted(self.collection.verbs)) or "none"
            raise NotFound(
                f"There is no custom method :{str(verb)[:40]} of {self.collection.name}. There are: {known}.",
                reason="METHOD_NOT_FOUND",
            )
        check_query(request, self.write_parameters())
        data = self.json_body(request)
        options = write_options(request, data.pop("etag", None))
        result = self.collection.run_verb(verb, self.call(options), resource_id, Body(data))
        return self.answer(result, options)


def _without_output_only(data: Json, collection: Collection[Any]) -> Json:
    ignored = OUTPUT_ONLY | collection.output_only | {"etag"}
    return {field: value for field, value in data.items() if field not in ignored}


def _with_etag(response: Response) -> Response:
    etag = response.data.get("etag") if isinstance(response.data, dict) else None
    if etag:
        response["ETag"] = etag
    return response


def _unless_known(request: Request, response: Response) -> Response:
    """Answer 304 if the caller has it already (If-None-Match). A list's ETag is the digest of what it says."""
    if "ETag" not in response:
        digest = hashlib.sha256(JSONRenderer().render(response.data)).hexdigest()
        response["ETag"] = f'W/"{digest[:32]}"'
    known = {
        text.strip().removeprefix("W/")
        for text in request.headers.get("If-None-Match", "").split(",")
    }
    if response["ETag"].removeprefix("W/") in known or "*" in known:
        return Response(status=304, headers={"ETag": response["ETag"]})
    return response
