"""An HTTPS server that answers what a test tells it to, and the kubeconfig for it."""

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

__all__ = ["Answer", "Asked", "HttpsServer", "serving_https"]

TOKEN = "s3cret-token-of-the-portal"  # of no server
Send = Callable[[bytes], None]


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Answer:
    """``stream`` sends the body in chunks by itself, for a watch; when it returns the body is at its end.

    ``cut``: the connection is closed without an end of the body, or without any answer where there is no stream.
    """

    status: int = 200
    body: Any = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Callable[[Send], None] | None = None
    cut: bool = False


class HttpsServer:
    """``answers`` are given one after the other; the last one again and again."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[Asked] = []
        self.answers: list[Answer] = [Answer()]
        self.token = TOKEN
        certificate, key = _certificate()
        (folder / "server.pem").write_bytes(certificate + key)
        self.certificate = certificate
        self._folder = folder
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.pem")
        self._server = _QuietServer(("127.0.0.1", 0), _handler_of(self))
        self._server.socket = context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._server.server_port}"

    def kubeconfig(self, name: str = "config", **cluster: object) -> Path:
        """Write a kubeconfig; ``cluster`` changes or adds fields of the cluster (None leaves one out)."""
        path = self._folder / name
        fields: dict[str, object] = {
            "server": self.url,
            "certificate-authority-data": base64.b64encode(self.certificate).decode(),
            **{key.replace("_", "-"): value for key, value in cluster.items()},
        }
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": "it", "cluster": {k: v for k, v in fields.items() if v is not None}}
            ],
            "users": [{"name": "us", "user": {"token": self.token}}],
            "contexts": [{"name": "here", "context": {"cluster": "it", "user": "us"}}],
            "current-context": "here",
        }
        path.write_text(yaml.safe_dump(document))
        return path

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next_answer(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def serving_https(folder: Path) -> Iterator[HttpsServer]:
    """Have such a server for the length of a block."""
    server = HttpsServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that refuse the certificate, or go."""


def _handler_of(server: HttpsServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(length)
            parts = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            body = json.loads(raw) if raw else None
            headers = {key.lower(): value for key, value in self.headers.items()}
            server.asked.append(Asked(self.command, parts.path, query, headers, body))
            self._send(server.next_answer())

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815  # http.server

        def _send(self, answer: Answer) -> None:
            if answer.cut and answer.stream is None:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for key, value in answer.headers.items():
                self.send_header(key, value)
            if answer.stream is None:
                body = answer.body
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                return
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            answer.stream(self._chunk)
            if answer.cut:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()

    return Handler


def _certificate() -> tuple[bytes, bytes]:
    """Return a certificate of 127.0.0.1 that vouches for itself, and its key (PEM)."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    time = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(time - timedelta(days=1))
        .not_valid_after(time + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return certificate.public_bytes(serialization.Encoding.PEM), key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
