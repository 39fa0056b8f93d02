"""An API that keeps one Lease."""

import copy
import itertools
from typing import Any, cast

from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import ApiKind, Json

__all__ = ["LeaseApi"]


class LeaseApi:
    """Keeps one Lease as the API server does: a stale version is a conflict."""

    def __init__(self) -> None:
        self.stored: Json | None = None
        self.faults: list[KubernetesFault] = []
        self._versions = itertools.count(1)

    def get(self, api: ApiKind, namespace: str, name: str) -> Json | None:
        self._fail()
        return copy.deepcopy(self.stored)

    def create(self, path: str, body: Json) -> Json:
        self._fail()
        if self.stored is not None:
            raise KubernetesFault(FaultKind.CONFLICT, "already exists", status=409)
        return self._store(body)

    def raw(self, method: str, path: str, body: Json) -> Json:
        assert (method, path) == (
            "PUT",
            "/apis/coordination.k8s.io/v1/namespaces/system/leases/watcher",
        )
        self._fail()
        if self.stored is None:
            raise KubernetesFault(FaultKind.NOT_FOUND, "not found", status=404)
        if body["metadata"]["resourceVersion"] != self.stored["metadata"]["resourceVersion"]:
            raise KubernetesFault(FaultKind.CONFLICT, "modified", status=409)
        return self._store(body)

    def touch(self) -> None:
        """Somebody else writes it."""
        assert self.stored is not None
        self._store(self.stored)

    @property
    def spec(self) -> dict[str, Any]:
        assert self.stored is not None
        return cast(dict[str, Any], self.stored["spec"])

    def _store(self, body: Json) -> Json:
        self.stored = copy.deepcopy(body)
        self.stored["metadata"]["resourceVersion"] = str(next(self._versions))
        return copy.deepcopy(self.stored)

    def _fail(self) -> None:
        if self.faults:
            raise self.faults.pop(0)
