"""The frame of every write to IAM: one transaction, an audit row, dry runs."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.db import IntegrityError, transaction

from cycloud.core.aip.errors import Aborted
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.access import audit
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.refusals import refusals_audited

__all__ = ["DEFAULT_OPTIONS", "run_change"]

T = TypeVar("T")
DEFAULT_OPTIONS = WriteOptions()


class _DryRun(Exception):
    """Carries the result of a validate_only call out of the transaction that is rolled back."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


def run_change(
    write: Callable[[], T],
    *,
    actor: Actor,
    method: str,
    name: Callable[[T], str],
    options: WriteOptions,
    detail: Mapping[str, Any] | None = None,
) -> T:
    """Run ``write`` in one transaction and return what it made; with ``validate_only`` nothing is kept.

    ``name`` tells what the audit row is about; ``detail`` must hold no secret. Raises Aborted where another
    writer was faster.
    """
    with refusals_audited(actor, method, "iam", dry_run=options.validate_only):
        return _run_change(write, actor, method, name, options, detail or {})


def _run_change(
    write: Callable[[], T],
    actor: Actor,
    method: str,
    name: Callable[[T], str],
    options: WriteOptions,
    detail: Mapping[str, Any],
) -> T:
    try:
        with transaction.atomic():
            result = write()
            if options.validate_only:
                raise _DryRun(result)
            audit(actor, method, name(result), **detail)
    except _DryRun as dry:
        return dry.result  # type: ignore[no-any-return]
    except IntegrityError:
        raise Aborted(
            "Somebody else changed the same at the same time. Read it again and repeat the change."
        ) from None
    return result
