"""``manage.py grpcrunserver``: the gRPC face as a process of its own, in place of djangogrpcframework's command."""

import signal
import threading
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from cycloud.core.aip.memory import settle_memory
from cycloud.core.aip.rpc.server import CannotListen, RpcOptions, RpcServer, Tls, TlsFileError

DEFAULT_ADDRESS = "[::]:50051"


class Command(BaseCommand):
    help = (
        "Serve the API over gRPC until SIGTERM or Ctrl-C; calls under way get CYCLOUD_GRPC_GRACE_SECONDS to end. "
        "Run as many processes as wanted."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", nargs="?", default=DEFAULT_ADDRESS, help="host:port")
        parser.add_argument("--threads", type=int, default=settings.CYCLOUD_GRPC_THREADS)
        parser.add_argument(
            "--share-port",
            action="store_true",
            help="let several of these processes listen at the same port of this machine",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = _split(options["address"])
        if options["threads"] < 1:
            raise CommandError("--threads (CYCLOUD_GRPC_THREADS) must be 1 or more.")
        try:
            server = RpcServer(
                RpcOptions(
                    host=host,
                    port=port,
                    threads=options["threads"],
                    watches=settings.CYCLOUD_WATCH_LIMIT,
                    waits=settings.CYCLOUD_WAITING_THREADS,
                    tls=_tls(),
                    reflection=settings.CYCLOUD_GRPC_REFLECTION,
                    share_port=options["share_port"],
                )
            )
        except (CannotListen, TlsFileError) as error:
            raise CommandError(str(error)) from error
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        settle_memory()
        server.start()
        kind = "with TLS" if settings.CYCLOUD_GRPC_TLS_CERTIFICATE else "without TLS"
        self.stdout.write(f"gRPC at {host}:{server.port}, {kind}")
        self.stdout.flush()
        stop.wait()
        self.stdout.write("Stopping")
        server.stop(settings.CYCLOUD_GRPC_GRACE_SECONDS)
        self.stdout.write("Stopped")


def _split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise CommandError(f"{address!r} is no address such as 0.0.0.0:50051 or [::]:50051.")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _tls() -> Tls | None:
    certificate, key = settings.CYCLOUD_GRPC_TLS_CERTIFICATE, settings.CYCLOUD_GRPC_TLS_KEY
    if not certificate and not key:
        return None
    if not certificate or not key:
        raise CommandError(
            "Set both CYCLOUD_GRPC_TLS_CERTIFICATE and CYCLOUD_GRPC_TLS_KEY, or none of them."
        )
    client_ca = settings.CYCLOUD_GRPC_TLS_CLIENT_CA
    return Tls(Path(certificate), Path(key), Path(client_ca) if client_ca else None)
