"""Starting the whole portal in one process, and stopping all of it again."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.module_loading import import_string

from cycloud.celery import app
from cycloud.core.aip.rpc.server import RpcOptions, RpcServer
from cycloud.core.changes.hub import close_hub
from cycloud.embedded.background import Beat, Worker
from cycloud.embedded.lock import only_one
from cycloud.embedded.options import UpOptions
from cycloud.embedded.ports import take_port
from cycloud.embedded.seed import seed
from cycloud.embedded.seed_result import SeedResult
from cycloud.embedded.terminal import Terminal
from cycloud.embedded.web import WebServer
from cycloud.simulator.server import SimulatorServer
from cycloud.simulator.site import Site

__all__ = ["PieceDied", "run"]

WATCH_SECONDS = 1.0
RPC_GRACE_SECONDS = 2.0


class PieceDied(Exception):
    """A part of the portal ended by itself; the text names it."""


def run(options: UpOptions, terminal: Terminal, stop: threading.Event, application: object) -> None:
    """Serve until ``stop`` is set; everything that was started is stopped when this returns.

    Raises PortBusy, AlreadyRunning or PieceDied.
    """
    terminal.line("Cycloud in one process, with two simulated OpenStack clouds")
    # the steps below tell what these would
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    with ExitStack() as stack:
        stack.enter_context(only_one(options.lock_file))
        listening = take_port(options.host, options.port, "--port")
        stack.callback(listening.close)
        # only to name them early if they are busy; their servers take them by themselves
        take_port(options.host, options.grpc_port, "--grpc-port").close()
        take_port("127.0.0.1", options.simulator_port, "--simulator-port").close()
        _migrate(terminal)
        simulator = stack.enter_context(_simulator(options, terminal))
        seeded = _seed(simulator, options, terminal)
        watched = _start_background(options, terminal, stack)
        if settings.CYCLOUD_KUBERNETES_ENABLED:
            # with it comes a library of 40 MiB that nobody else needs
            watched |= import_string("cycloud.embedded.kubernetes.start")(options, terminal, stack)
        web = WebServer(application, listening)
        stack.callback(web.stop)
        with terminal.step("Web server") as step:
            web.start()
            step.detail = f"http://{options.host}:{web.port}/"
        watched["web server"] = lambda: web.running
        rpc = _start_rpc(options, terminal, stack)
        watched["gRPC server"] = lambda: rpc.running
        # before the servers: a watch would hold up their stop
        stack.callback(close_hub)
        url = f"http://{options.host}:{web.port}"
        _welcome(terminal, url, f"{options.host}:{rpc.port}", seeded)
        _watch(stop, watched)
        terminal.line()
        terminal.line("Stopping")
    terminal.line("Stopped. The data is kept; `make up` goes on from here.")


def _migrate(terminal: Terminal) -> None:
    with terminal.step("Database") as step:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if plan:
            call_command("migrate", interactive=False, verbosity=0)
        step.detail = f"{len(plan)} migrations applied" if plan else "up to date"
        connection.close()


@contextmanager
def _simulator(options: UpOptions, terminal: Terminal) -> Iterator[SimulatorServer]:
    with terminal.step("Simulated clouds") as step:
        site = Site.load(options.simulator_state)
        if site.dirty:
            # the catalog is about to name its flavors, types and images
            site.save()
        server = SimulatorServer(site, host="127.0.0.1", port=options.simulator_port)
        server.start()
        step.detail = f"{' and '.join(site.clouds)} at {server.url}"
    try:
        yield server
    finally:
        server.stop()


def _seed(simulator: SimulatorServer, options: UpOptions, terminal: Terminal) -> SeedResult:
    with terminal.step("Catalog, demo project and users") as step:
        result = seed(simulator.site, simulator.auth_url, options.token_file)
        step.detail = f"{len(result.created)} made" if result.created else "there already"
        connection.close()
    return result


def _start_background(
    options: UpOptions, terminal: Terminal, stack: ExitStack
) -> dict[str, Callable[[], bool]]:
    """Start worker and beat; return how to tell that each still runs."""
    worker = Worker(
        app,
        queues=[settings.CELERY_TASK_DEFAULT_QUEUE],
        concurrency=options.worker_threads,
    )
    stack.callback(worker.stop)
    with terminal.step("Worker") as step:
        worker.start()
        step.detail = f"{options.worker_threads} threads"
    beat = Beat(app)
    stack.callback(beat.stop)
    with terminal.step("Beat"):
        beat.start()
    return {"worker": lambda: worker.running, "beat": lambda: beat.running}


def _start_rpc(options: UpOptions, terminal: Terminal, stack: ExitStack) -> RpcServer:
    with terminal.step("gRPC server") as step:
        rpc = RpcServer(
            RpcOptions(
                host=options.host,
                port=options.grpc_port,
                threads=settings.CYCLOUD_GRPC_THREADS,
                watches=settings.CYCLOUD_WATCH_LIMIT,
                waits=settings.CYCLOUD_WAITING_THREADS,
            )
        )
        stack.callback(rpc.stop, RPC_GRACE_SECONDS)
        rpc.start()
        step.detail = f"{options.host}:{rpc.port}"
    return rpc


def _watch(stop: threading.Event, watched: dict[str, Callable[[], bool]]) -> None:
    while not stop.wait(WATCH_SECONDS):
        for name, running in watched.items():
            if not running():
                raise PieceDied(
                    f"The {name} ended by itself; the lines above tell why. Start again with `make up`."
                )


def _welcome(terminal: Terminal, url: str, rpc_address: str, seeded: SeedResult) -> None:
    lines = [
        "",
        f"  Console   {url}/",
        f"  Admin     {url}/admin/   (as operator)",
        f"  REST      {url}/v1/   (token for the tour: {seeded.token_file})",
        f"  gRPC      {rpc_address}   (the same token, as metadata authorization: Bearer ...; no TLS)",
        "",
    ]
    if seeded.passwords:
        lines.append("  Demo users, with passwords that are shown only this once:")
        lines += [f"    {name:<10}{password}" for name, password in seeded.passwords.items()]
    else:
        lines.append(
            "  The demo users are demo and operator. For a new password: "
            ".venv/bin/python manage.py changepassword demo"
        )
    lines += ["", "  Ctrl-C stops everything."]
    for line in lines:
        terminal.line(line)
