"""The gRPC server: its threads and limits, TLS, health, reflection, and how it ends."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
from django_grpc_framework.settings import grpc_settings
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from cycloud.core.aip.rpc.interceptors import INTERCEPTORS
from cycloud.core.aip.rpc.pools import Pools
from cycloud.core.aip.rpc.reflection import SymbolPool
from cycloud.core.aip.rpc.unknown import UnknownMethods
from cycloud.core.aip.rpc.watches import end_watches

__all__ = ["CannotListen", "RpcOptions", "RpcServer", "Tls", "TlsFileError"]

# calls that wait for each of the threads
WAITING_PER_THREAD: Final = 64
KEEPALIVE_SECONDS: Final = 300
MINIMUM_PING_SECONDS: Final = 10


class CannotListen(Exception):
    """The address cannot be listened at; the text says which one."""


class TlsFileError(Exception):
    """A file for TLS cannot be read; the text names it."""


@dataclass(frozen=True)
class Tls:
    """Files in PEM. With ``client_ca`` a client must show a certificate that it signed."""

    certificate: Path
    key: Path
    client_ca: Path | None = None

    def credentials(self) -> grpc.ServerCredentials:
        """Return credentials that follow the files: a renewed certificate is used without a restart."""
        first = self._read()
        seen = self._times()

        def renewed() -> grpc.ServerCertificateConfiguration | None:
            nonlocal seen
            times = self._times()
            if times == seen:
                return None
            seen = times
            return self._read()

        return grpc.dynamic_ssl_server_credentials(
            first,
            renewed,  # type: ignore[arg-type]  # None means the same as before
            require_client_authentication=self.client_ca is not None,
        )

    def _files(self) -> list[Path]:
        return [file for file in (self.key, self.certificate, self.client_ca) if file is not None]

    def _times(self) -> tuple[int, ...]:
        try:
            return tuple(file.stat().st_mtime_ns for file in self._files())
        except OSError:
            # a renewal that is half done: what is in use stays
            return ()

    def _read(self) -> grpc.ServerCertificateConfiguration:
        texts = []
        for file in self._files():
            try:
                texts.append(file.read_bytes())
            except OSError as error:
                raise TlsFileError(
                    f"The file {file} for TLS cannot be read ({error.strerror}). Correct the setting or the file."
                ) from error
        return grpc.ssl_server_certificate_configuration(
            [(texts[0], texts[1])], root_certificates=texts[2] if len(texts) > 2 else None
        )


@dataclass(frozen=True)
class RpcOptions:
    """``port`` 0 takes any free one.

    ``threads`` is how many calls are served at once. Watches and calls that wait for an operation have threads
    besides, so that they never starve the others.
    """

    host: str = "127.0.0.1"
    port: int = 0
    threads: int = 16
    watches: int = 1000
    waits: int = 16
    most_request_bytes: int = 2_621_440
    tls: Tls | None = None
    reflection: bool = True
    # several processes of one machine at one port
    share_port: bool = False


class RpcServer:
    """Serves what the ROOT_HANDLERS_HOOK registers. ``begin_thread`` runs first in each thread of the calls."""

    def __init__(
        self, options: RpcOptions, *, begin_thread: Callable[[], None] = lambda: None
    ) -> None:
        self._options = options
        self._pools = Pools(options.threads, options.watches, options.waits, begin_thread)
        interceptors = [self._pools, *INTERCEPTORS, *(grpc_settings.SERVER_INTERCEPTORS or ())]
        self._server = grpc.server(
            self._pools.calls,
            handlers=[],
            interceptors=interceptors,
            maximum_concurrent_rpcs=_most_calls(options),
            options=_channel_options(options),
        )
        names = [*grpc_settings.ROOT_HANDLERS_HOOK(self._server), health.SERVICE_NAME]
        self._health = health.HealthServicer(
            experimental_non_blocking=True,
            experimental_thread_pool=ThreadPoolExecutor(1, thread_name_prefix="grpc-health"),
        )
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        if options.reflection:
            names.append(reflection.SERVICE_NAME)
            pool: Any = SymbolPool()
            reflection.enable_server_reflection(names, self._server, pool=pool)
        self._server.add_generic_rpc_handlers((UnknownMethods(),))
        self._names = names
        self._ended = False
        self.port = self._listen()

    def start(self) -> None:
        """Serve from now on, in threads of its own."""
        self._server.start()
        for name in ("", *self._names):
            self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    def stop(self, grace_seconds: float = 0.0) -> None:
        """Take no new call, give those under way so long, and return when all have ended. Harmless to repeat."""
        self._ended = True
        self._health.enter_graceful_shutdown()
        ended = self._server.stop(grace_seconds)
        # their readers go on elsewhere; a call is waited for
        end_watches()
        ended.wait()
        self._pools.shutdown()

    @property
    def running(self) -> bool:
        return not self._ended

    def _listen(self) -> int:
        host = f"[{self._options.host}]" if ":" in self._options.host else self._options.host
        address = f"{host}:{self._options.port}"
        try:
            if self._options.tls is not None:
                port = self._server.add_secure_port(address, self._options.tls.credentials())
            else:
                port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise CannotListen(
                f"gRPC cannot listen at {address}: the port is in use, or the address is not this machine's. "
                "Stop the program that has it, or choose another."
            ) from error
        return port


def _most_calls(options: RpcOptions) -> int:
    """Return how many calls may be under way or wait for a thread; gRPC refuses more with RESOURCE_EXHAUSTED."""
    return options.watches + options.waits + options.threads * (1 + WAITING_PER_THREAD)


def _channel_options(options: RpcOptions) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", options.most_request_bytes),
        # a page of a list is as large as it is; clients choose their own limit
        ("grpc.max_send_message_length", -1),
        ("grpc.so_reuseport", int(options.share_port)),
        # a watch may be silent for long: both ends notice when the other one is gone
        ("grpc.keepalive_time_ms", KEEPALIVE_SECONDS * 1000),
        ("grpc.http2.min_ping_interval_without_data_ms", MINIMUM_PING_SECONDS * 1000),
        ("grpc.keepalive_permit_without_calls", 1),
    ]
