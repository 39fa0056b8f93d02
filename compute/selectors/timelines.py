"""What happened to a resource: its operations and the audit rows about it, newest first."""

from dataclasses import dataclass
from datetime import datetime

from cycloud.core.aip.models import Operation
from cycloud.core.iam.models import AuditEntry
from cycloud.core.resources.models import ProjectResource

__all__ = ["TimelineEntry", "list_timeline"]


@dataclass(frozen=True)
class TimelineEntry:
    """One line. ``kind`` is "operation" or "audit".

    ``what`` is the operation's verb or the audited method; ``who`` the principal (audit only);
    ``message`` the error, or else what the operation waits for.
    """

    time: datetime
    kind: str
    what: str
    who: str = ""
    done: bool = True
    failed: bool = False
    message: str = ""
    end_time: datetime | None = None


def list_timeline(resource: ProjectResource, *, limit: int = 50) -> list[TimelineEntry]:
    """Return the newest ``limit`` entries, in two queries; the caller has checked the rights.

    An audit row names its resource; what an earlier resource of the same name went through is left out,
    and what was refused.
    """
    operations = Operation.objects.filter(target_uid=resource.uid).order_by("-create_time", "-pk")
    audits = AuditEntry.objects.filter(
        resource_name=resource.name, time__gte=resource.create_time, outcome="OK"
    ).order_by("-time", "-pk")
    entries = [_from_operation(row) for row in operations[:limit]]
    entries += [
        TimelineEntry(row.time, "audit", row.method, who=row.principal) for row in audits[:limit]
    ]
    return sorted(entries, key=lambda entry: entry.time, reverse=True)[:limit]


def _from_operation(row: Operation) -> TimelineEntry:
    return TimelineEntry(
        row.create_time,
        "operation",
        row.verb,
        done=row.done,
        failed=row.error is not None,
        message=row.error["message"] if row.error else row.progress_message,
        end_time=row.end_time,
    )
