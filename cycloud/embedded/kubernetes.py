"""The sync with Kubernetes within the one process: a worker of its own queue, the watcher, the webhooks."""

from collections.abc import Callable
from contextlib import ExitStack

from cycloud.celery import app
from cycloud.embedded.background import Worker
from cycloud.embedded.options import UpOptions
from cycloud.embedded.terminal import Terminal
from cycloud.kubernetes.client import client
from cycloud.kubernetes.marks import QUEUE
from cycloud.kubernetes.watcher.watcher import Watcher
from cycloud.kubernetes.webhooks.server import WebhookServer, is_configured, options_of_settings

__all__ = ["start"]


def start(
    options: UpOptions, terminal: Terminal, stack: ExitStack
) -> dict[str, Callable[[], bool]]:
    """Start a worker for the sync and the watcher. Raises UnusableConfiguration."""
    watcher = Watcher()
    worker = Worker(app, queues=[QUEUE], concurrency=options.kubernetes_threads, name=QUEUE)
    stack.callback(worker.stop)
    stack.callback(watcher.stop)
    with terminal.step("Kubernetes") as step:
        worker.start()
        watcher.start()
        step.detail = f"{client().host}, {options.kubernetes_threads} threads"
    pieces: dict[str, Callable[[], bool]] = {
        "worker for Kubernetes": lambda: worker.running,
        "Kubernetes watcher": lambda: watcher.running,
    }
    if is_configured():
        webhooks = WebhookServer(options_of_settings())
        stack.callback(webhooks.stop)
        with terminal.step("Kubernetes webhooks") as step:
            webhooks.start()
            step.detail = f"port {webhooks.port}"
        pieces["Kubernetes webhooks"] = lambda: webhooks.running
    return pieces
