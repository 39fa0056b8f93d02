"""Reading the feed: where it stands, what came after a version, and trimming what is old."""

from collections.abc import Collection
from datetime import timedelta
from typing import TypedDict

from django.conf import settings
from django.db import transaction

from cycloud.core.aip.errors import InvalidArgument, OutOfRange
from cycloud.core.changes.models import Change, FeedPosition
from cycloud.core.clock import now

__all__ = ["body_before", "check_version", "parse_version", "position", "read", "trim"]

# 2**63 - 1 has 19 digits; a longer text is none of ours
_MAX_DIGITS = 18
_TRIM_AT_ONCE = 5000


class _Ends(TypedDict):
    version: int
    trimmed: int


def position() -> int:
    """Return the version of the last committed change, 0 before the first. Every smaller one is committed."""
    return _ends()["version"]


def parse_version(text: str) -> int:
    """Return a ``resource_version`` as a number. Raises InvalidArgument for what is none."""
    if not text.isascii() or not text.isdigit() or len(text) > _MAX_DIGITS:
        raise InvalidArgument.field(
            "resource_version",
            f"{text[:40]!r} is not a resource_version. Send one that a list or a watch gave you.",
            "INVALID_RESOURCE_VERSION",
        )
    return int(text)


def check_version(version: int) -> None:
    """Raise OutOfRange if the changes after ``version`` are not all kept, or it is yet to come."""
    ends = _ends()
    if version > ends["version"]:
        raise OutOfRange(
            f"The resource_version {version} is not reached yet; the present one is {ends['version']}. List "
            "again, and watch from the resource_version of that answer.",
            reason="RESOURCE_VERSION_TOO_NEW",
            metadata={"resource_version": str(version), "current": str(ends["version"])},
            http_status=410,
        )
    _check_kept(version, ends)


def read(
    after: int,
    limit: int,
    kinds: Collection[str] | None = None,
    projects: Collection[int] | None = None,
) -> list[Change]:
    """Return at most ``limit`` changes behind ``after``, in order; None for ``kinds`` or ``projects`` means all.

    Raises OutOfRange where changes behind ``after`` were trimmed.
    """
    rows = Change.objects.filter(version__gt=after)
    if kinds is not None:
        rows = rows.filter(kind__in=kinds)
    if projects is not None:
        rows = rows.filter(project__in=projects)
    found = list(rows.order_by("version")[:limit])
    # looked at behind the rows: what was trimmed meanwhile may be missing among them
    _check_kept(after, _ends())
    return found


def body_before(change: Change) -> dict[str, object] | None:
    """Return the resource as it was before this change, or None where the feed does not know."""
    rows = Change.objects.filter(uid=change.uid, version__lt=change.version)
    return rows.order_by("-version").values_list("body", flat=True).first()


def trim() -> int:
    """Remove changes older than CYCLOUD_CHANGES_KEEP_HOURS, and return how many."""
    cutoff = now() - timedelta(hours=settings.CYCLOUD_CHANGES_KEEP_HOURS)
    removed = 0
    while True:
        old = Change.objects.order_by("version").values_list("version", "time")[:_TRIM_AT_ONCE]
        # up to the first young one: clocks of several machines may differ, the versions are what counts
        last = 0
        for version, time in old:
            if time >= cutoff:
                break
            last = version
        if not last:
            return removed
        with transaction.atomic():
            FeedPosition.objects.filter(trimmed__lt=last).update(trimmed=last)
            removed += Change.objects.filter(version__lte=last).delete()[0]


def _ends() -> _Ends:
    row = FeedPosition.objects.filter(id=FeedPosition.ID).values("version", "trimmed").first()
    return (
        _Ends(version=row["version"], trimmed=row["trimmed"])
        if row
        else _Ends(version=0, trimmed=0)
    )


def _check_kept(version: int, ends: _Ends) -> None:
    if version < ends["trimmed"]:
        raise OutOfRange(
            f"The changes after the resource_version {version} are no longer kept; they are for "
            f"{settings.CYCLOUD_CHANGES_KEEP_HOURS:g} hours. List again, and watch from the resource_version of "
            "that answer.",
            reason="RESOURCE_VERSION_TOO_OLD",
            metadata={"resource_version": str(version), "oldest": str(ends["trimmed"])},
            http_status=410,
        )
