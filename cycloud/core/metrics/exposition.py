"""From counters to the text that Prometheus reads, and a small server for processes without a portal."""

import logging
import os
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string
from prometheus_client import REGISTRY, start_http_server
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

__all__ = ["process_counters", "render", "start_metrics_server"]

logger = logging.getLogger(__name__)


class _Everything(Collector):
    """Counters, and what the database tells, asked afresh at each scrape (CYCLOUD_METRICS_SOURCES)."""

    def collect(self) -> Iterator[Metric]:
        yield from process_counters().collect()
        for path in settings.CYCLOUD_METRICS_SOURCES:
            yield from import_string(path)()


def process_counters() -> Collector:
    """Return this process's counters; those of all processes that share PROMETHEUS_MULTIPROC_DIR, if it is set."""
    if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        return REGISTRY
    return MultiProcessCollector(None)  # type: ignore[no-untyped-call]


def render(accept: str) -> tuple[bytes, str]:
    """Return the body and its content type for an ``Accept`` header."""
    encode, content_type = choose_encoder(accept)
    return encode(_Everything()), content_type


def start_metrics_server(**_: Any) -> None:
    """Serve this process's counters on CYCLOUD_METRICS_PORT, for a worker. Off where the port is 0.

    A port that cannot be had is logged: a worker without metrics is better than no worker.
    """
    host, port = settings.CYCLOUD_METRICS_HOST, settings.CYCLOUD_METRICS_PORT
    if not port:
        return
    try:
        start_http_server(port, addr=host, registry=process_counters())
    except OSError as error:
        logger.error(
            "No metrics: %s port %s cannot be listened on (%s). "
            "Each process needs a CYCLOUD_METRICS_PORT of its own.",
            host,
            port,
            error.strerror,
        )
        return
    logger.info("Metrics are served on http://%s:%s/metrics", host, port)
