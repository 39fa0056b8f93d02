"""Keeping the rows of our queue where they are while the API server is down.

Thousands of rows that each fail and come back would be work for the database, and the database is for OpenStack then.
"""

from cycloud.kubernetes.client import client

__all__ = ["pause"]


def pause() -> float:
    """Return for how many seconds no pass is worth running (CYCLOUD_QUEUE_GATES)."""
    return client().pause()
