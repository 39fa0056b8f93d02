"""The one place that every call to the Kubernetes API goes through: limited, counted, watched by the hooks.

Requests are made on the connection pool of the ``kubernetes`` library, with its authentication, and JSON goes in and
out as it is: its typed models drop what they do not know, and know nothing of our kinds. Nothing is retried here; that
is the engine's part.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

import urllib3
from kubernetes.client.configuration import Configuration
from kubernetes.client.exceptions import ApiException
from kubernetes.client.rest import RESTClientObject
from kubernetes.config import ConfigException

from cycloud.core.circuits import CircuitBreaker, Clock, TokenBucket
from cycloud.core.metrics.instruments import count_provider_call
from cycloud.kubernetes.config import UnusableConfiguration
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.hooks import current_hooks
from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.translation import fault_from_answer, is_outage

__all__ = ["JSON", "JSON_PATCH", "Limits", "Request", "Transport"]

JSON: Final = "application/json"
JSON_PATCH: Final = "application/json-patch+json"
_SERVICE: Final = "kubernetes"
_CONNECT_SECONDS: Final = 5.0
# a kubeconfig or token file that was renewed is read again at most this often
_RELOAD_SECONDS: Final = 10.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    """``verb`` is what the hooks, and nobody else, see: get, list, watch, apply, ...

    ``stream_seconds``: the answer is read as it comes, for up to that long; else at once.
    """

    method: str
    verb: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Json | list[Json] | None = None
    content_type: str = JSON
    stream_seconds: float = 0.0

    @property
    def is_write(self) -> bool:
        return self.method not in ("GET", "HEAD")


@dataclass
class Limits:
    """A rate limit and a circuit for the whole API. Shared by all threads of the process."""

    calls_per_second: float = 100.0
    clock: Clock = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    longest_wait_seconds: float = 2.0
    breaker: CircuitBreaker = field(init=False)
    _bucket: TokenBucket = field(init=False)

    def __post_init__(self) -> None:
        burst = max(1, round(2 * self.calls_per_second))
        self._bucket = TokenBucket(self.calls_per_second, burst, self.clock)
        self.breaker = CircuitBreaker(self.clock)

    def enter(self) -> None:
        """Wait for the rate limit, then pass the circuit.

        :raises KubernetesFault: RATE_LIMITED or UNREACHABLE, with ``retry_after``; nothing was sent.
        """
        waited = 0.0
        while (wait := self._bucket.take()) > 0.0:
            if waited + wait > self.longest_wait_seconds:
                raise KubernetesFault(
                    FaultKind.RATE_LIMITED,
                    "own limit of calls per second reached (CYCLOUD_KUBERNETES_CALLS_PER_SECOND)",
                    retry_after=wait,
                )
            self.sleep(wait)
            waited += wait
        remaining = self.breaker.admit()
        if remaining > 0.0:
            raise KubernetesFault(FaultKind.UNREACHABLE, "circuit open", retry_after=remaining)


class Transport:
    """Sends requests. Thread-safe. ``load`` reads the configuration; again after the server refused the credentials."""

    def __init__(
        self, load: Callable[[], Configuration], limits: Limits, timeout_seconds: float
    ) -> None:
        self._load = load
        self._limits = limits
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._set(load())

    def __repr__(self) -> str:
        return f"Transport({self.host})"

    @property
    def host(self) -> str:
        """The address of the API server."""
        return str(self._configuration.host)

    def pause(self) -> float:
        """Return for how many seconds the open circuit lets nothing through; 0 where it is closed."""
        return self._limits.breaker.pause()

    def close(self) -> None:
        """Close the idle connections; open calls end by themselves."""
        self._rest.close()

    def send(self, request: Request) -> Json:
        """Send one request and return the answer's JSON object.

        :raises KubernetesFault: for every answer but 2xx, for none, and for one that is not of the API.
        """
        document: Json = {}

        def make() -> tuple[int, KubernetesFault | None]:
            response = self._send(request)
            content: bytes = response.read()
            fault = _fault_in(request, response.status, response.headers, content)
            if fault is None:
                document.update(_object(response.status, content))
            return response.status, fault

        self._call(request, make)
        return document

    def open(self, request: Request) -> urllib3.BaseHTTPResponse:
        """Send one request whose answer comes little by little; whoever reads it closes it.

        :raises KubernetesFault: as :meth:`send`; what happens in the middle is the reader's.
        """
        opened: list[urllib3.BaseHTTPResponse] = []

        def make() -> tuple[int, KubernetesFault | None]:
            response = self._send(request)
            raw: urllib3.BaseHTTPResponse = response.response
            if response.status == 200:
                opened.append(raw)
                return response.status, None
            content: bytes = response.read()
            return response.status, _fault_in(request, response.status, response.headers, content)

        try:
            self._call(request, make)
        except BaseException:
            # a hook behind the answer may end the call: nobody would ever close the stream then
            for response in opened:
                response.close()
            raise
        return opened[0]

    def _call(
        self, request: Request, make: Callable[[], tuple[int, KubernetesFault | None]]
    ) -> None:
        hooks = current_hooks()
        breaker = self._limits.breaker
        self._limits.enter()
        try:
            # after the wait for the rate limit, so that a lease that ran out meanwhile is seen
            hooks.before(request.verb, request.path, request.is_write)
        except BaseException:
            # whatever ends the call here, the breaker's place for a trial call must be given back
            breaker.abandoned()
            raise
        begin = time.monotonic()
        try:
            status, fault = self._guarded(make)
        except KubernetesFault as unanswered:
            self._note(request, unanswered.kind.value, begin)
            breaker.failed()
            raise
        except BaseException:
            # a worker that is being ended says nothing about the server
            breaker.abandoned()
            raise
        self._note(request, str(status), begin)
        if fault is not None and is_outage(fault):
            breaker.failed()
        else:
            breaker.answered()
        if fault is not None and fault.kind is FaultKind.UNAUTHENTICATED:
            self._reload()
        hooks.after(request.verb, request.path, request.is_write)
        if fault is not None:
            raise fault

    def _send(self, request: Request) -> Any:
        url = self.host + request.path
        if request.query:
            url += "?" + urlencode(request.query)
        # the answer to a watch pauses between events; a dead peer is noticed by the keep-alive
        read_seconds = self._timeout_seconds + request.stream_seconds
        return self._rest.request(  # type: ignore[no-untyped-call]
            request.method,
            url,
            headers=self._headers(request),
            body=request.body,
            _request_timeout=(min(_CONNECT_SECONDS, self._timeout_seconds), read_seconds),
        )

    def _headers(self, request: Request) -> dict[str, str]:
        headers = {"Accept": JSON, "User-Agent": "cycloud"}
        if request.body is not None:
            headers["Content-Type"] = request.content_type
        # reads a token file, or runs a plugin, where what it has is about to run out: one at a time
        with self._lock:
            token = self._configuration.get_api_key_with_prefix("BearerToken", "authorization")
        if token:
            headers["Authorization"] = token
        return headers

    def _guarded(
        self, make: Callable[[], tuple[int, KubernetesFault | None]]
    ) -> tuple[int, KubernetesFault | None]:
        try:
            return make()
        except (urllib3.exceptions.HTTPError, ApiException, ConfigException, OSError) as error:
            # from None: the original may hold the request, and with it the token
            raise KubernetesFault(FaultKind.UNREACHABLE, _cause(error)) from None

    def _note(self, request: Request, outcome: str, begin: float) -> None:
        # names only: no query and no body may get into a log
        seconds = time.monotonic() - begin
        logger.debug("%s %s: %s in %.3f s", request.verb, request.path, outcome, seconds)
        count_provider_call("", _SERVICE, outcome)

    def _set(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._rest = RESTClientObject(configuration)
        self._loaded_at = self._limits.clock()

    def _reload(self) -> None:
        """Read the configuration again: a renewed kubeconfig must not need a restart."""
        with self._lock:
            if self._limits.clock() - self._loaded_at < _RELOAD_SECONDS:
                return
            self._loaded_at = self._limits.clock()
            try:
                self._set(self._load())
            except UnusableConfiguration as error:
                logger.error("The configuration of Kubernetes cannot be read again: %s", error)


def _fault_in(
    request: Request, status: int, headers: Mapping[str, str], content: bytes
) -> KubernetesFault | None:
    if 200 <= status < 300:
        return None
    is_json_patch = request.content_type == JSON_PATCH
    return fault_from_answer(status, headers, content, is_json_patch=is_json_patch)


def _object(status: int, content: bytes) -> Json:
    try:
        document = json.loads(content)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        # a page of a proxy, say: taken for an empty listing it would mean that nothing is there
        raise KubernetesFault(
            FaultKind.UNREACHABLE, "the answer is not JSON of the Kubernetes API", status=status
        )
    return document


def _cause(error: Exception) -> str:
    if isinstance(error, ApiException):
        # the library's word for trouble with TLS
        return " ".join(str(error.reason).split())[:500]
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:500]
