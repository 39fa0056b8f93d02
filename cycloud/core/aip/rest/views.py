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

from cycloud.core.aip.collection import Call, Collection, Json
from cycloud.core.aip.errors import InvalidArgument, PermissionDenied
from cycloud.core.aip.language import current_language, language_of
from cycloud.core.aip.methods import (
    ListRequest,
    UpdateRequest,
    create_resource,
    delete_resource,
    get_resource,
    list_resources,
    run_verb,
    update_resource,
    verb_options,
)
from cycloud.core.aip.rest.errors import exception_handler
from cycloud.core.aip.rest.parser import StrictJSONParser, check_text
from cycloud.core.aip.rest.requests import (
    check_query,
    flag,
    options_of,
    query_integer,
    query_text,
)
from cycloud.core.aip.writes import WriteOptions
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
        current_language.set(language_of(request.headers.get("Accept-Language", "")))
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
        _let_go(self, request, final)
        return final


def _let_go(view: APIView, request: Request, response: Response) -> None:
    """Undo the rings in which DRF's request, view and response hold each other.

    A body or an answer of megabytes would stay until Python's collector of rings comes, and a flood of them does not
    make it come sooner: it counts objects, not bytes.
    """
    request.parser_context.clear()
    # Django puts the view's own get there
    vars(view).pop("head", None)
    context = getattr(response, "renderer_context", None)
    if context is not None:
        context.pop("request", None)
        context.pop("view", None)
        response.add_post_render_callback(_without_context)


def _without_context(response: HttpResponse) -> None:
    vars(response).pop("renderer_context", None)


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
        return Call(
            self.actor,
            str(self.kwargs.get("project_id", "")),
            options or WriteOptions(),
            parent_id=str(self.kwargs.get("parent_id", "")),
        )

    def json_body(self, request: Request) -> Json:
        data = request.data
        if not isinstance(data, dict):
            raise InvalidArgument("The body must be a JSON object.", reason="INVALID_JSON")
        return dict(data)

    def write_parameters(self) -> set[str]:
        """Return the query parameters that every write of this collection may have."""
        known = {"validate_only"}
        return known | {"request_id"} if self.collection.remembers_requests else known

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
        known = {"page_size", "page_token", "filter", "order_by", "show_deleted", "read_mask"}
        check_query(request, known)
        wanted = ListRequest(
            page_size=query_integer(request, "page_size"),
            page_token=query_text(request, "page_token"),
            filter=query_text(request, "filter"),
            order_by=query_text(request, "order_by"),
            show_deleted=flag(request, "show_deleted"),
            read_mask=query_text(request, "read_mask"),
        )
        return _unless_known(
            request, Response(list_resources(self.collection, self.call(), wanted))
        )

    def post(self, request: Request, **path: str) -> Response:
        id_parameter = self.collection.id_parameter
        check_query(request, ({id_parameter} - {""}) | self.write_parameters())
        resource_id = query_text(request, id_parameter) or None
        call = self.call(options_of(request))
        answer = create_resource(self.collection, call, resource_id, self.json_body(request))
        return _with_etag(Response(answer))


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
        check_query(request, {"read_mask"})
        mask = query_text(request, "read_mask")
        answer = get_resource(self.collection, self.call(), resource_id, mask)
        return _unless_known(request, _with_etag(Response(answer)))

    def patch(self, request: Request, resource_id: str, **path: str | None) -> Response:
        check_query(request, self.write_parameters() | {"update_mask", "allow_missing"})
        data = self.json_body(request)
        call = self.call(options_of(request, data.get("etag")))
        wanted = UpdateRequest(
            data=data,
            update_mask=query_text(request, "update_mask"),
            allow_missing=flag(request, "allow_missing"),
        )
        return _with_etag(Response(update_resource(self.collection, call, resource_id, wanted)))

    def delete(self, request: Request, resource_id: str, **path: str | None) -> Response:
        check_query(request, self.write_parameters() | {"allow_missing", "etag"})
        call = self.call(options_of(request))
        forgiven = flag(request, "allow_missing")
        return Response(delete_resource(self.collection, call, resource_id, allow_missing=forgiven))

    def post(
        self, request: Request, resource_id: str, verb: str | None = None, **path: str
    ) -> Response:
        check_query(request, set())
        data = self.json_body(request)
        if request.headers.get("If-Match"):
            data["etag"] = options_of(request, data.get("etag")).etag
        options, data = verb_options(self.collection, data)
        answer = run_verb(self.collection, self.call(options), resource_id, str(verb), data)
        return _with_etag(Response(answer))


def _with_etag(response: Response) -> Response:
    """Set the ETag header: the resource's etag with a digest of the answer behind a dot.

    A resource shows things of others, such as the size of a volume: then the answer changes and the etag does not.
    If-Match takes both forms.
    """
    etag = response.data.get("etag") if isinstance(response.data, dict) else None
    if etag:
        bare = str(etag).strip('"')
        response["ETag"] = f'"{bare}.{_digest_of(response.data)[:16]}"'
    return response


def _digest_of(answer: Json) -> str:
    # the feed's version grows with every change anywhere
    said = {key: value for key, value in answer.items() if key != "resource_version"}
    return hashlib.sha256(JSONRenderer().render(said)).hexdigest()


def _unless_known(request: Request, response: Response) -> Response:
    """Answer 304 if the caller has it already (If-None-Match). A list's ETag is the digest of what it says."""
    if "ETag" not in response:
        response["ETag"] = f'W/"{_digest_of(response.data)[:32]}"'
    known = {
        text.strip().removeprefix("W/")
        for text in request.headers.get("If-None-Match", "").split(",")
    }
    if response["ETag"].removeprefix("W/") in known or "*" in known:
        return Response(status=304, headers={"ETag": response["ETag"]})
    return response
