"""``manage.py up``: the whole portal in this process."""

import signal
import threading
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from cycloud.asgi import application
from cycloud.core.aip.rpc.server import CannotListen
from cycloud.embedded.lock import AlreadyRunning
from cycloud.embedded.options import (
    DEFAULT_GRPC_PORT,
    DEFAULT_PORT,
    DEFAULT_SIMULATOR_PORT,
    NotEmbedded,
    UpOptions,
    data_dir,
)
from cycloud.embedded.ports import PortBusy
from cycloud.embedded.run import PieceDied, run
from cycloud.embedded.terminal import Terminal
from cycloud.simulator.server import SimulatorError
from cycloud.simulator.site import StateFileError


class Command(BaseCommand):
    help = "Run web and gRPC server, worker, beat and two simulated clouds in this process, until Ctrl-C."
    # the database may not exist yet
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address of web and gRPC server")
        parser.add_argument("--port", type=int, default=DEFAULT_PORT)
        parser.add_argument("--grpc-port", type=int, default=DEFAULT_GRPC_PORT)
        parser.add_argument("--simulator-port", type=int, default=DEFAULT_SIMULATOR_PORT)

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        try:
            up = UpOptions(
                data_dir=data_dir(),
                host=options["host"],
                port=options["port"],
                grpc_port=options["grpc_port"],
                simulator_port=options["simulator_port"],
            )
            run(up, Terminal(self.stdout), stop, application)
        except (
            AlreadyRunning,
            CannotListen,
            NotEmbedded,
            PieceDied,
            PortBusy,
            SimulatorError,
            StateFileError,
            ImproperlyConfigured,
        ) as error:
            raise CommandError(str(error)) from error
