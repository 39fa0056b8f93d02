"""The audit log of a project, for its administrators. Read-only."""

from django.db.models import QuerySet

from cycloud.core.aip.collection import Call, Collection, Json
from cycloud.core.aip.filters import Field, Kind
from cycloud.core.aip.representation import time_text
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import AuditEntry
from cycloud.core.iam.selectors import get_audit_entry, list_audit_entries
from cycloud.iam.v1 import audit_entry_pb2


class AuditEntries(Collection[AuditEntry]):
    """``/v1/projects/{project}/auditEntries``, newest first.

    Details are for operators only: they can name clusters.
    """

    name = "auditEntries"
    kind = "AuditEntry"
    message = audit_entry_pb2.AuditEntry.DESCRIPTOR.full_name
    remembers_requests = False
    id_parameter = "audit_entry_id"
    list_key = "audit_entries"
    updatable = frozenset()
    orders = {"time": "time"}
    default_order = ("-time", "-uid")
    filters = {
        "time": Field("time", Kind.TIME),
        "principal": Field("principal"),
        "method": Field("method"),
        "resource": Field("resource_name"),
        "outcome": Field("outcome"),
        "reason": Field("reason"),
        "request_id": Field("request_id"),
    }

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[AuditEntry]:
        return list_audit_entries(actor=call.actor, project_id=call.project_id)

    def find(self, call: Call, resource_id: str) -> AuditEntry:
        return get_audit_entry(actor=call.actor, project_id=call.project_id, entry_id=resource_id)

    def to_json(self, resource: AuditEntry, actor: Actor) -> Json:
        return {
            "name": f"projects/{resource.project}/auditEntries/{resource.uid}",
            "time": time_text(resource.time),
            "principal": resource.principal,
            "method": resource.method,
            "resource": resource.resource_name,
            "outcome": resource.outcome,
            "reason": resource.reason,
            "source_address": resource.source_address,
            "request_id": resource.request_id,
        }
