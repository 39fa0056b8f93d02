"""A client of ours, over TLS to a server that answers as a test wants."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from cycloud.kubernetes.client import KubernetesClient
from cycloud.kubernetes.config import ApiAccess, load_configuration
from cycloud.kubernetes.faults import KubernetesFault
from cycloud.kubernetes.kinds import ApiKind, Json
from cycloud.kubernetes.transport import Limits, Transport
from tests.support.kubernetes.https import Answer, HttpsServer

__all__ = ["BODY", "WIDGET", "WIDGETS", "Bed", "recorded"]

SAMPLES = Path(__file__).parents[2] / "kubernetes/samples"
WIDGET = ApiKind("example.test", "Widget", "widgets")
WIDGETS = "/apis/example.test/v1/namespaces/team/widgets"
BODY: Json = {
    "apiVersion": "example.test/v1",
    "kind": "Widget",
    "metadata": {"name": "a", "namespace": "team"},
    "spec": {"size": 1},
}


@dataclass
class Bed:
    """A server, a client of it, and the clock of its limits."""

    server: HttpsServer
    access: ApiAccess
    time: float = 0.0
    slept: list[float] = field(default_factory=list)
    calls_per_second: float = 1000.0
    timeout_seconds: float = 5.0
    _client: KubernetesClient | None = None

    @property
    def client(self) -> KubernetesClient:
        if self._client is None:
            limits = Limits(self.calls_per_second, clock=lambda: self.time, sleep=self._sleep)
            load = partial(load_configuration, self.access)
            self._client = KubernetesClient(Transport(load, limits, self.timeout_seconds))
        return self._client

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def answers(self, *answers: Answer) -> None:
        self.server.answers = list(answers)

    def fault(self, call: Callable[[], object] | None = None) -> KubernetesFault:
        with pytest.raises(KubernetesFault) as caught:
            (call or (lambda: self.client.get(WIDGET, "team", "a")))()
        return caught.value


def recorded(name: str) -> Answer:
    text = (SAMPLES / name).read_bytes()
    return Answer(int(name[:3]) if name.endswith("txt") else json.loads(text)["code"], text)
