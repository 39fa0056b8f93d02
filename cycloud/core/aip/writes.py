"""The frame of every write: one transaction, request ids (AIP-155), dry runs (AIP-163), the audit row."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db import IntegrityError, transaction

from cycloud.core.aip.errors import Aborted, CycloudError, InvalidArgument
from cycloud.core.aip.models import Operation, RequestRecord
from cycloud.core.clock import now
from cycloud.core.iam.access import audit
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from cycloud.core.iam.refusals import refusals_audited
from cycloud.core.reconcile.queue import in_order

__all__ = ["WriteOptions", "Written", "check_etag", "run_write"]

R = TypeVar("R")


@dataclass(frozen=True)
class WriteOptions:
    """What every write request may carry besides its body.

    ``manager`` is set by no face: it names the object elsewhere that a declaration was taken from
    (``cycloud.core.resources.managers``).
    """

    request_id: UUID | None = None
    validate_only: bool = False
    etag: str = ""
    manager: str = ""


@dataclass(frozen=True)
class Written(Generic[R]):
    """What a write made. ``resource`` is None only where a repeated request's target is gone by now."""

    resource: R | None
    operation: Operation


class _DryRun(Exception):
    """Carries the result of a validate_only call out of the transaction that is rolled back."""

    def __init__(self, result: Written[Any]) -> None:
        super().__init__()
        self.result = result


def run_write(
    write: Callable[[], Written[R]],
    *,
    actor: Actor,
    project: Project,
    method: str,
    body: Mapping[str, Any],
    find: Callable[[UUID], R | None],
    options: WriteOptions,
) -> Written[R]:
    """Run ``write`` in one transaction and return what it made.

    ``method`` is the verb with its kind ("CreateInstance"); ``body`` is what tells one request from another
    (JSON values, no secret is kept: only its digest). ``find`` fetches the target of an earlier operation by
    uid. With a request id that was used: the earlier operation for the same method and body, INVALID_ARGUMENT for
    another. With ``validate_only`` everything runs and nothing is kept. Raises Aborted where another writer was
    faster and a constraint of the database told so.
    """
    with refusals_audited(actor, method, project.name, dry_run=options.validate_only):
        return _run_write(
            write, actor, project, method, _digest(method, body), find=find, options=options
        )


def _run_write(
    write: Callable[[], Written[R]],
    actor: Actor,
    project: Project,
    method: str,
    digest: str,
    *,
    find: Callable[[UUID], R | None],
    options: WriteOptions,
) -> Written[R]:
    if options.request_id is not None and not options.validate_only:
        earlier = _earlier(actor, project, options.request_id, digest)
        if earlier is not None:
            return Written(find(earlier.target_uid), earlier)
    try:
        # rows of the queue are locked last and in one order, as the controllers do it
        with transaction.atomic(), in_order():
            written = write()
            if options.validate_only:
                raise _DryRun(written)
            audit(actor, method, written.operation.target_name)
            if options.request_id is not None:
                RequestRecord.objects.create(
                    project=project,
                    principal=actor.principal,
                    request_id=options.request_id,
                    body_digest=digest,
                    operation=written.operation,
                    create_time=now(),
                )
    except _DryRun as dry:
        return dry.result
    except CycloudError:
        # the same request in parallel, refused for what the first one has done meanwhile
        if options.request_id is not None and not options.validate_only:
            earlier = _earlier(actor, project, options.request_id, digest)
            if earlier is not None:
                return Written(find(earlier.target_uid), earlier)
        raise
    except IntegrityError:
        # the same request in parallel: the one that was first has committed; else a real conflict
        if options.request_id is not None:
            earlier = _earlier(actor, project, options.request_id, digest)
            if earlier is not None:
                return Written(find(earlier.target_uid), earlier)
        raise Aborted(
            f"{project.name} was changed by somebody else at the same time. Read it again, and repeat the change "
            "on what you see then.",
            resource=project.name,
            reason="CONCURRENT_CHANGE",
        ) from None
    return written


def check_etag(current: str, given: str, name: str) -> None:
    """Raise Aborted if the caller's etag is not the current one. An empty one is not checked."""
    if given and given.removeprefix("W/") != current:
        raise Aborted(
            f"{name} was changed since you read it: the etag {given[:60]} is not its present one. Read it "
            "again, and repeat the change on what you see then.",
            resource=name,
            reason="ETAG_MISMATCH",
        )


def _digest(method: str, body: Mapping[str, Any]) -> str:
    text = json.dumps([method, body], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _earlier(actor: Actor, project: Project, request_id: UUID, digest: str) -> Operation | None:
    record = (
        RequestRecord.objects.select_related("operation__project")
        .filter(project=project, principal=actor.principal, request_id=request_id)
        .first()
    )
    if record is None:
        return None
    if record.body_digest != digest:
        raise InvalidArgument.field(
            "request_id",
            f"{request_id} was used for another request. Use a new UUID for each new request.",
            "REQUEST_ID_REUSED",
        )
    return record.operation
