"""Cycloud: one provider-independent cloud API over many OpenStack clusters."""

from cycloud.celery import app as celery_app

__all__ = ["celery_app"]
