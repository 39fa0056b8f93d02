"""Probes: ``/healthz`` (the process answers) and ``/readyz`` (it can serve: the database answers)."""

import logging

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse

__all__ = ["healthz", "readyz"]

logger = logging.getLogger(__name__)


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        logger.warning("not ready: the database does not answer: %s", error)
        return HttpResponse("the database does not answer\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")
