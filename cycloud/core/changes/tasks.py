"""Celery tasks of the feed. They hold no rule."""

from celery import shared_task

from cycloud.core.changes.feed import trim

__all__ = ["trim_task"]


@shared_task(name="cycloud.trim_changes")
def trim_task() -> None:
    """Remove old changes."""
    trim()
