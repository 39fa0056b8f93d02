"""A stand-in for the few calls that install and check make: objects by kind and name, and scripted answers."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, cast

from cycloud.kubernetes.client import KubernetesClient
from cycloud.kubernetes.faults import KubernetesFault
from cycloud.kubernetes.kinds import ApiKind, Json

__all__ = ["FakeServer"]


@dataclass
class FakeServer:
    """``answers``: by (method, path), a fault or what is answered. ``on_apply`` may add what a server adds."""

    objects: dict[tuple[str, str], Json] = field(default_factory=dict)
    answers: dict[tuple[str, str], Any] = field(default_factory=dict)
    faults: dict[str, KubernetesFault] = field(default_factory=dict)
    on_apply: Callable[[Json], None] = lambda body: None
    reviews: Callable[[Json], bool] = lambda attributes: True
    applied: list[str] = field(default_factory=list)
    host: str = "https://kubernetes.test"

    @property
    def client(self) -> KubernetesClient:
        return cast(KubernetesClient, self)

    def get(self, api: ApiKind, namespace: str, name: str) -> Json | None:
        if api.kind in self.faults:
            raise self.faults[api.kind]
        return deepcopy(self.objects.get((api.kind, name)))

    def raw(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        query: Mapping[str, str] | None = None,
        *,
        content_type: str = "application/json",
    ) -> Json:
        answer = self.answers.get((method, path))
        if isinstance(answer, KubernetesFault):
            raise answer
        if answer is not None:
            return cast(Json, answer)
        assert method == "PATCH" and body is not None, (method, path)
        assert content_type == "application/apply-patch+yaml"
        assert (query or {})["fieldManager"] == "cycloud-install"
        made = deepcopy(body)
        self.on_apply(made)
        if "dryRun" not in (query or {}):
            self.objects[body["kind"], body["metadata"]["name"]] = made
            self.applied.append(body["metadata"]["name"])
        return deepcopy(made)

    def create(self, path: str, body: Json) -> Json:
        if path.endswith("selfsubjectreviews"):
            return {"status": {"userInfo": {"username": "ann"}}}
        return {"status": {"allowed": self.reviews(body["spec"]["resourceAttributes"])}}

    def delete(self, api: ApiKind, namespace: str, name: str, *, uid: str) -> None:
        del self.objects[api.kind, name]
