"""Ending the memory of operations (AIP-151) and request ids (AIP-155)."""

from datetime import timedelta
from typing import Final

from cycloud.core.aip.models import Operation, RequestRecord
from cycloud.core.clock import now

__all__ = ["OPERATIONS_KEPT", "REQUEST_IDS_KEPT", "expire_operations", "expire_request_ids"]

OPERATIONS_KEPT: Final = timedelta(days=30)
REQUEST_IDS_KEPT: Final = timedelta(hours=24)
# rows removed in one transaction, so that writers never wait long for it
_BATCH: Final = 1000


def expire_operations() -> int:
    """Remove operations that ended 30 days ago, and their request ids; return how many. Open ones stay."""
    removed = 0
    while keys := list(
        Operation.objects.filter(done=True, end_time__lt=now() - OPERATIONS_KEPT)
        .order_by("end_time")
        .values_list("pk", flat=True)[:_BATCH]
    ):
        Operation.objects.filter(pk__in=keys).delete()
        removed += len(keys)
    return removed


def expire_request_ids() -> int:
    """Forget request ids that were used 24 hours ago; return how many. Their operations stay."""
    removed = 0
    while keys := list(
        RequestRecord.objects.filter(create_time__lt=now() - REQUEST_IDS_KEPT)
        .order_by("create_time")
        .values_list("pk", flat=True)[:_BATCH]
    ):
        removed += RequestRecord.objects.filter(pk__in=keys).delete()[0]
    return removed
