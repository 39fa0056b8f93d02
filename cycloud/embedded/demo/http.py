"""JSON over HTTP with the standard library only: what any program of a user can do."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

from cycloud.embedded.demo.failure import DemoFailed

__all__ = ["Answer", "JsonClient"]

TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True)
class Answer:
    """``body`` is the JSON value, or the text where the answer is no JSON."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class JsonClient:
    """Calls below ``base_url`` (http only: the demo runs on this machine)."""

    def __init__(self, base_url: str, headers: Mapping[str, str] | None = None) -> None:
        parts = urlsplit(base_url)
        if parts.scheme != "http" or not parts.hostname:
            raise DemoFailed(f"{base_url!r} is not an http:// address, as `make up` prints it.")
        self.base_url = base_url.rstrip("/")
        self._host, self._port = parts.hostname, parts.port or 80
        self._path = parts.path.rstrip("/")
        self.headers = dict(headers or {})

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request and return the answer, whatever its status.

        Raises DemoFailed where nobody answers.
        """
        target = self._path + path + (f"?{urlencode(query)}" if query else "")
        headers = {"Accept": "application/json", **self.headers}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        connection = HTTPConnection(self._host, self._port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, target, data, headers)
            response = connection.getresponse()
            raw = response.read()
        except (OSError, HTTPException) as error:
            raise DemoFailed(
                f"Nothing answers at {self.base_url} ({error}). Start the portal with `make up` in another "
                "terminal, or name its address (see --help)."
            ) from error
        finally:
            connection.close()
        return Answer(
            response.status, _decoded(raw), {k.lower(): v for k, v in response.getheaders()}
        )

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, str] | None = None,
    ) -> Any:
        """Send one request and return its JSON; raises DemoFailed for a refusal, in its words."""
        answer = self.send(method, path, body, query)
        if answer.status >= 400:
            raise DemoFailed(f"{method} {path} was refused: {answer.status} {_words(answer.body)}")
        return answer.body


def _decoded(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else {}
    except ValueError:
        return raw.decode(errors="replace")


def _words(body: Any) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return str(message if message else body)[:500]
