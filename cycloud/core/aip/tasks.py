"""Celery tasks of operations and request ids. They hold no rule."""

from celery import shared_task

from cycloud.core.aip.expiry import expire_operations, expire_request_ids

__all__ = ["expire_task"]


@shared_task(name="cycloud.expire")
def expire_task() -> None:
    """Remove what is kept no longer."""
    expire_request_ids()
    expire_operations()
