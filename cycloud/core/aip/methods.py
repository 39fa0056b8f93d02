"""The standard methods of AIP-131 to 136 for any Collection, without a face.

REST and gRPC read a request into these values and write the answer out; what a method does, refuses
and leaves in the audit log is the same for both because it is here. Answers are JSON values as the protos
map to them.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model

from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json, MethodNotSupported
from cycloud.core.aip.errors import InvalidArgument, NotFound
from cycloud.core.aip.filter_match import compile_match
from cycloud.core.aip.filters import order_columns, parse_filter
from cycloud.core.aip.masks import Mask, parse_mask, parse_read_mask
from cycloud.core.aip.operation_json import dry_run_json, missing_json, written_json
from cycloud.core.aip.pages import page_of, page_of_items, page_size_of
from cycloud.core.aip.representation import OUTPUT_ONLY
from cycloud.core.aip.writes import WriteOptions, Written
from cycloud.core.changes.feed import position
from cycloud.core.iam.refusals import method_name, refusals_audited

__all__ = [
    "ListRequest",
    "UpdateRequest",
    "create_resource",
    "delete_resource",
    "get_resource",
    "list_resources",
    "run_verb",
    "update_resource",
    "verb_options",
    "write_options",
]

R = TypeVar("R", bound=Model)
# AIP-134, AIP-135: a missing resource is forgiven, a missing project is not
_NO_PROJECT = "PROJECT_NOT_FOUND"


@dataclass(frozen=True)
class ListRequest:
    """What a list may carry (AIP-132, 158, 160, 164)."""

    page_size: int = 0
    page_token: str = ""
    filter: str = ""
    order_by: str = ""
    show_deleted: bool = False
    read_mask: str = ""


@dataclass(frozen=True)
class UpdateRequest:
    """What an update carries (AIP-134): the resource as JSON, and which of its fields count."""

    data: Json = field(default_factory=dict)
    update_mask: str = ""
    allow_missing: bool = False


def list_resources(collection: Collection[R], call: Call, request: ListRequest) -> Json:
    """Return a page of resources under the collection's key, ``next_page_token`` and ``resource_version``.

    A watch goes on from the ``resource_version`` of the first page.
    Raises InvalidArgument for a wrong filter, order, mask or page, NotFound and PermissionDenied.
    """
    _require(collection, "rows")
    mask = parse_read_mask(request.read_mask, collection.fields)
    # read before the rows: a watch from it misses nothing that is not in them
    version = position()
    page = _page_of_items if collection.supports("items") else _page_of_rows
    found, next_page_token = page(collection, call, request)
    return {
        collection.list_key: [_masked(mask, item) for item in found],
        "next_page_token": next_page_token,
        "resource_version": str(version),
    }


def get_resource(
    collection: Collection[R], call: Call, resource_id: str, read_mask: str = ""
) -> Json:
    """Return one resource, or what ``read_mask`` names of it (AIP-157).

    Raises NotFound, PermissionDenied, and InvalidArgument for a path that the resource does not have.
    """
    _require(collection, "find")
    mask = parse_read_mask(read_mask, collection.fields)
    return _masked(mask, collection.to_json(collection.find(call, resource_id), call.actor))


def create_resource(
    collection: Collection[R], call: Call, resource_id: str | None, data: Json
) -> Json:
    """Create a resource; ``resource_id`` None lets the service choose one."""
    _require(collection, "create")
    with _audited(collection, call, "create", resource_id):
        return _create(collection, call, resource_id, data)


def update_resource(
    collection: Collection[R], call: Call, resource_id: str, request: UpdateRequest
) -> Json:
    """Change the fields that the mask names; without a mask those that the body has.

    With ``allow_missing`` a resource that is not there is created under that id, whatever the mask (AIP-134).
    """
    _require(collection, "update")
    if request.allow_missing:
        _require(collection, "create")
    with _audited(collection, call, "update", resource_id):
        if request.allow_missing:
            return _update_or_create(collection, call, resource_id, request)
        return _update(collection, call, resource_id, request)


def _update_or_create(
    collection: Collection[R], call: Call, resource_id: str, request: UpdateRequest
) -> Json:
    try:
        return _update(collection, call, resource_id, request)
    except NotFound as error:
        if error.reason == _NO_PROJECT or _exists(collection, call, resource_id):
            raise
    except InvalidArgument as error:
        # the same request before, when the resource was still missing, was a create
        if "REQUEST_ID_REUSED" not in {violation.reason for violation in error.violations}:
            raise
    return _create(collection, call, resource_id, request.data)


def delete_resource(
    collection: Collection[R], call: Call, resource_id: str, *, allow_missing: bool = False
) -> Json:
    """Delete a resource; with ``allow_missing`` one that is not there is no error (AIP-135)."""
    _require(collection, "delete")
    with _audited(collection, call, "delete", resource_id):
        try:
            return _answer(collection, call, collection.delete(call, resource_id))
        except NotFound as error:
            if not allow_missing or error.reason == _NO_PROJECT:
                raise
            return missing_json("delete", _name(collection, call, resource_id))


def run_verb(
    collection: Collection[R], call: Call, resource_id: str, verb: str, data: Json
) -> Json:
    """Run a custom method (AIP-136). Raises NotFound for a verb that the collection does not have."""
    if verb not in collection.verbs:
        known = ", ".join(f":{word}" for word in sorted(collection.verbs)) or "none"
        raise NotFound(
            f"There is no custom method :{verb[:40]} of {collection.name}. There are: {known}.",
            reason="METHOD_NOT_FOUND",
        )
    if verb in collection.read_verbs:
        return _answer(collection, call, collection.run_verb(verb, call, resource_id, Body(data)))
    with _audited(collection, call, verb, resource_id):
        return _answer(collection, call, collection.run_verb(verb, call, resource_id, Body(data)))


def write_options(
    *, request_id: str = "", validate_only: bool = False, etag: str = ""
) -> WriteOptions:
    """Return the options of a write. Raises InvalidArgument for a request id that is no UUID."""
    etag = etag.strip().removeprefix("W/")
    if etag == "*":
        etag = ""
    if etag and not etag.startswith('"'):
        etag = f'"{etag}"'
    return WriteOptions(request_id=_uuid(request_id), validate_only=validate_only, etag=etag)


def verb_options(collection: Collection[Any], data: Json) -> tuple[WriteOptions, Json]:
    """Split the body of a custom method, which holds all of its fields, into options and the rest."""
    known = ["validate_only", "etag"] + (["request_id"] if collection.remembers_requests else [])
    body = Body({name: data[name] for name in known if name in data})
    options = write_options(
        request_id=body.text("request_id", ""),
        validate_only=body.boolean("validate_only", False),
        etag=body.text("etag", ""),
    )
    return options, {name: value for name, value in data.items() if name not in known}


def _uuid(text: str) -> UUID | None:
    if not text:
        return None
    try:
        return UUID(text)
    except ValueError:
        raise InvalidArgument.field("request_id", f"{text[:80]!r} is not a UUID.") from None


def _page_of_rows(
    collection: Collection[R], call: Call, request: ListRequest
) -> tuple[list[Json], str]:
    condition = parse_filter(request.filter, collection.filters)
    order = order_columns(request.order_by, collection.orders, collection.default_order)
    size = page_size_of(request.page_size)
    page = page_of(
        collection.rows(call, request.show_deleted).filter(condition),
        order=order,
        scope=_scope(collection, call, request),
        size=size,
        token=request.page_token,
    )
    return collection.list_json(page.items, call.actor), page.next_page_token


def _page_of_items(
    collection: Collection[R], call: Call, request: ListRequest
) -> tuple[list[Json], str]:
    """Filter, order and cut a small list as a query would; it is ordered by name."""
    match = compile_match(request.filter, collection.filters)
    order = order_columns(request.order_by, collection.orders, collection.default_order)
    size = page_size_of(request.page_size)
    items = collection.list_json(collection.items(call), call.actor)
    return page_of_items(
        {item["name"]: item for item in items if match(item)},
        descending=order[0].startswith("-"),
        scope=_scope(collection, call, request),
        size=size,
        token=request.page_token,
    )


def _scope(collection: Collection[Any], call: Call, request: ListRequest) -> list[str]:
    """Return what a page token is bound to."""
    return [
        call.project_id,
        call.parent_id,
        collection.name,
        request.filter,
        str(request.show_deleted),
    ]


def _masked(mask: Mask | None, resource: Json) -> Json:
    return resource if mask is None else mask.applied_to(resource)


def _require(collection: Collection[Any], method: str) -> None:
    if not collection.supports(method):
        raise MethodNotSupported.of(collection.name)


def _name(collection: Collection[Any], call: Call, resource_id: str) -> str:
    """Return the name of a resource; of the collection for an empty id."""
    parts = [f"projects/{call.project_id}"] if call.project_id else []
    if collection.within:
        parts.append(f"{collection.within}/{call.parent_id}")
    parts.append(collection.name)
    return "/".join([*parts, resource_id] if resource_id else parts)


def _audited(
    collection: Collection[Any], call: Call, method: str, resource_id: str | None
) -> AbstractContextManager[None]:
    """Leave an audit row where the write is refused; a dry run is no write.

    This is the one place for it: here the transaction of the service is over, so that the row stays.
    """
    if call.options.validate_only:
        return nullcontext()
    name = _name(collection, call, resource_id or "")
    return refusals_audited(call.actor, method_name(collection.kind, method), name)


def _create(collection: Collection[R], call: Call, resource_id: str | None, data: Json) -> Json:
    body = Body(_without_output_only(collection, data))
    return _answer(collection, call, collection.create(call, resource_id, body))


def _exists(collection: Collection[R], call: Call, resource_id: str) -> bool:
    try:
        collection.find(call, resource_id)
    except NotFound:
        return False
    return True


def _update(
    collection: Collection[R], call: Call, resource_id: str, request: UpdateRequest
) -> Json:
    data = _without_output_only(collection, request.data)
    if not request.update_mask:
        data = _without_unchanged(collection, call, resource_id, data)
    mask = parse_mask(
        request.update_mask,
        updatable=collection.updatable,
        output_only=_ignored(collection),
        body=data,
    )
    return _answer(collection, call, collection.update(call, resource_id, Body(data, mask=mask)))


def _without_unchanged(collection: Collection[R], call: Call, resource_id: str, data: Json) -> Json:
    """Leave out immutable fields that are sent back as they were read; refuse changed ones (AIP-203)."""
    sent = collection.immutable & set(data)
    if not sent:
        return data
    current = collection.to_json(collection.find(call, resource_id), call.actor)
    for name in sorted(sent):
        if data[name] != current.get(name):
            raise InvalidArgument.field(
                name, "cannot be changed after creation. Make a new resource.", "IMMUTABLE"
            )
    return {name: value for name, value in data.items() if name not in sent}


def _ignored(collection: Collection[Any]) -> frozenset[str]:
    return OUTPUT_ONLY | collection.output_only | {"etag"}


def _without_output_only(collection: Collection[Any], data: Mapping[str, Any]) -> Json:
    ignored = _ignored(collection)
    return {name: value for name, value in data.items() if name not in ignored}


def _answer(collection: Collection[R], call: Call, result: Any) -> Json:
    """Return an operation, the resource itself where the write is done at once, or an empty object."""
    if isinstance(result, Written):
        shape = dry_run_json if call.options.validate_only else written_json
        return shape(
            result, lambda resource: collection.to_json(resource, call.actor), collection.message
        )
    if result is None or isinstance(result, dict):
        return result or {}
    return collection.to_json(result, call.actor)
