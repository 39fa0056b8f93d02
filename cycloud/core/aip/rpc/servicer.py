"""A djangogrpcframework service for any service of the protos: each method by what its http rule says."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, Final

import grpc
from django_grpc_framework.services import Service
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from cycloud.core.aip.collection import Call, Collection, Json
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
    write_options,
)
from cycloud.core.aip.rest.parser import check_text
from cycloud.core.aip.rpc.bindings import Binding, MethodKind, Rules, bind
from cycloud.core.aip.rpc.calls import current_actor
from cycloud.core.aip.rpc.messages import json_of, mask_text, message_of
from cycloud.core.aip.rpc.watches import message_for, watch_events
from cycloud.core.aip.watch import WatchOptions
from cycloud.core.aip.writes import WriteOptions

__all__ = ["service_class"]

AnyCollection = Collection[Any]
Run = Callable[[Binding, AnyCollection, Any], Json]
MOST_PAGE_BYTES: Final = 3_500_000
_LIST_FIELDS: Final = frozenset(field.name for field in fields(ListRequest))


def service_class(
    service: ServiceDescriptor, collections: Mapping[str, AnyCollection], rules: Rules
) -> type[Service]:
    """Return the class whose ``as_servicer()`` serves ``service``; ``collections`` are by name in paths.

    Raises ValueError for a method whose collection there is not.
    """
    methods = {
        method.name: _method(method, bind(method, rules), collections) for method in service.methods
    }
    return type(service.name, (Service,), methods)


def _method(
    method: MethodDescriptor, binding: Binding, collections: Mapping[str, AnyCollection]
) -> Callable[[Service, Message, grpc.ServicerContext], Any]:
    collection = collections.get(binding.collection)
    if collection is None:
        raise ValueError(
            f"{method.full_name} is about {binding.collection}, and nothing serves that."
        )
    answer = GetMessageClass(method.output_type)
    if binding.kind is MethodKind.WATCH:
        return _watch(binding, collection, answer)
    if binding.kind is MethodKind.LIST:
        return _pages(binding, collection, answer)
    run = _RUN[binding.kind]

    def serve(self: Service, request: Message, context: grpc.ServicerContext) -> Message:
        return message_of(run(binding, collection, request), answer)

    serve.__name__ = method.name
    return serve


def _call(
    collection: AnyCollection, ids: tuple[str, ...], options: WriteOptions | None = None
) -> Call:
    return Call(
        actor=current_actor.get(),
        project_id=ids[0] if collection.in_project else "",
        options=options or WriteOptions(),
        parent_id=ids[1] if collection.within else "",
    )


def _ids(binding: Binding, request: Any) -> tuple[str, ...]:
    """Return the ids in the name that the request is about."""
    if not binding.name_field:
        return ()
    holder, _, last = binding.name_field.rpartition(".")
    named = getattr(request, holder) if holder else request
    return binding.ids_of(check_text(getattr(named, last), binding.name_field))


def _pages(
    binding: Binding, collection: AnyCollection, answer: type[Message]
) -> Callable[[Service, Any, grpc.ServicerContext], Message]:
    def serve(self: Service, request: Any, context: grpc.ServicerContext) -> Message:
        names = [f.name for f in request.DESCRIPTOR.fields if f.name in _LIST_FIELDS]
        wanted = ListRequest(**{name: _plain(name, getattr(request, name)) for name in names})
        call = _call(collection, _ids(binding, request))
        while True:
            page = message_of(list_resources(collection, call, wanted), answer)
            count, size = len(getattr(page, collection.list_key)), page.ByteSize()
            if size <= MOST_PAGE_BYTES or count <= 1:
                return page
            # a page may be shorter than asked for (AIP-158), and clients refuse more than 4 MiB by default
            wanted = replace(wanted, page_size=max(1, count * MOST_PAGE_BYTES // size - 1))

    return serve


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, FieldMask):
        return mask_text(value)
    return check_text(value, name) if isinstance(value, str) else value


def _get(binding: Binding, collection: AnyCollection, request: Any) -> Json:
    ids = _ids(binding, request)
    mask = mask_text(request.read_mask) if "read_mask" in request.DESCRIPTOR.fields_by_name else ""
    return get_resource(collection, _call(collection, ids), ids[-1], mask)


def _create(binding: Binding, collection: AnyCollection, request: Any) -> Json:
    options = write_options(
        request_id=getattr(request, "request_id", ""), validate_only=request.validate_only
    )
    call = _call(collection, _ids(binding, request), options)
    resource_id = getattr(request, collection.id_parameter, "") or None
    data = json_of(getattr(request, binding.body_field))
    return create_resource(collection, call, resource_id, data)


def _update(binding: Binding, collection: AnyCollection, request: Any) -> Json:
    data = json_of(getattr(request, binding.body_field))
    options = write_options(
        request_id=getattr(request, "request_id", ""),
        validate_only=request.validate_only,
        etag=str(data.get("etag", "")),
    )
    ids = _ids(binding, request)
    wanted = UpdateRequest(
        data=data,
        update_mask=mask_text(request.update_mask),
        allow_missing=request.allow_missing,
    )
    return update_resource(collection, _call(collection, ids, options), ids[-1], wanted)


def _delete(binding: Binding, collection: AnyCollection, request: Any) -> Json:
    options = write_options(
        request_id=getattr(request, "request_id", ""),
        validate_only=getattr(request, "validate_only", False),
        etag=getattr(request, "etag", ""),
    )
    ids = _ids(binding, request)
    return delete_resource(
        collection,
        _call(collection, ids, options),
        ids[-1],
        allow_missing=getattr(request, "allow_missing", False),
    )


def _custom(binding: Binding, collection: AnyCollection, request: Any) -> Json:
    data = json_of(request)
    data.pop(binding.name_field, None)
    options, data = verb_options(collection, data)
    ids = _ids(binding, request)
    return run_verb(collection, _call(collection, ids, options), ids[-1], binding.verb, data)


def _watch(
    binding: Binding, collection: AnyCollection, answer: type[Message]
) -> Callable[[Service, Any, grpc.ServicerContext], Iterator[Message]]:
    def serve(self: Service, request: Any, context: grpc.ServicerContext) -> Iterator[Message]:
        options = WatchOptions(
            resource_version=check_text(request.resource_version, "resource_version"),
            filter=check_text(request.filter, "filter"),
            allow_bookmarks=request.allow_bookmarks,
        )
        call = _call(collection, _ids(binding, request))
        for event in watch_events(collection, call, options, context):
            yield message_for(event, answer)

    return serve


_RUN: Final[Mapping[MethodKind, Run]] = {
    MethodKind.GET: _get,
    MethodKind.CREATE: _create,
    MethodKind.UPDATE: _update,
    MethodKind.DELETE: _delete,
    MethodKind.CUSTOM: _custom,
}
