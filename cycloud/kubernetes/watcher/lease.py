"""A Lease, so that only one process watches (coordination.k8s.io/v1).

The library has an election and a ``LeaseLock``; they are not used. Its election loop sleeps and cannot be stopped,
never gives the Lease back, and its lock takes every error for "not now": whoever holds it cannot tell a lost Lease from
a server that is down. It also goes past our rate limit, circuit and hooks. The rules are the same as there and in
client-go: a Lease is free when it was not renewed for its whole duration by the looker's own clock, so that the clocks
of two machines need not agree.
"""

import os
import secrets
import socket
import time
from dataclasses import dataclass
from datetime import UTC

from cycloud.core.circuits import Clock
from cycloud.core.clock import now
from cycloud.kubernetes.client import KubernetesClient, path_of
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import ApiKind, Json

__all__ = ["LEASE", "Lease", "LeaseLost", "our_identity"]

LEASE = ApiKind("coordination.k8s.io", "Lease", "leases")
DURATION_SECONDS = 15


class LeaseLost(Exception):
    """Somebody else holds the Lease, or changed it, or it is gone; the text says which."""


def our_identity() -> str:
    """Return a name for this process that is no other's: two of them in one process are two."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"


@dataclass
class _Seen:
    """The Lease as it was last seen, and when by our own clock."""

    version: str
    since: float


class Lease:
    """One holder's view of one Lease. Not thread-safe. KubernetesFault of any call passes through, unless told else."""

    def __init__(
        self,
        client: KubernetesClient,
        namespace: str,
        name: str,
        identity: str,
        *,
        duration_seconds: int = DURATION_SECONDS,
        clock: Clock = time.monotonic,
    ) -> None:
        self._client = client
        self._namespace = namespace
        self._name = name
        self._identity = identity
        self._duration_seconds = duration_seconds
        self._clock = clock
        self._seen: _Seen | None = None
        self._held: Json | None = None
        self._renewed_at = 0.0
        self.holder = ""

    @property
    def is_held(self) -> bool:
        """Whether we hold it: nobody else may take it before its duration is over."""
        if self._held is None:
            return False
        return self._clock() - self._renewed_at < self._duration_seconds

    def try_acquire(self) -> bool:
        """Take the Lease if it is free; return whether we hold it now. ``holder`` tells who does otherwise."""
        begin = self._clock()
        found = self._client.get(LEASE, self._namespace, self._name)
        try:
            if found is None:
                path = path_of(LEASE, self._namespace)
                self._take(self._client.create(path, self._body(None)), begin)
                return True
            if not self._is_free(found):
                return False
            self._take(self._put(self._body(found)), begin)
        except KubernetesFault as fault:
            if fault.kind is FaultKind.CONFLICT:
                # another one was faster
                return False
            if fault.kind is FaultKind.NOT_FOUND and found is not None:
                return False
            raise
        return True

    def renew(self) -> None:
        """Hold the Lease for another duration.

        :raises LeaseLost: also where it was changed or removed by anybody: the cluster's storage may have been wiped or
            restored, and then all that was seen before is void.
        """
        if self._held is None:
            raise LeaseLost("it is not held")
        begin = self._clock()
        try:
            self._take(self._put(self._body(self._held)), begin)
        except KubernetesFault as fault:
            if fault.kind is FaultKind.CONFLICT:
                self._held = None
                raise LeaseLost("somebody else wrote it") from None
            if fault.kind is FaultKind.NOT_FOUND:
                self._held = None
                raise LeaseLost("it is gone") from None
            raise

    def release(self) -> None:
        """Give the Lease back, so that the next one need not wait; no more than an attempt."""
        held, self._held = self._held, None
        if held is None:
            return
        spec = {
            **held["spec"],
            "holderIdentity": "",
            "leaseDurationSeconds": 1,
            "renewTime": _time(),
        }
        try:
            self._put({**held, "spec": spec})
        except KubernetesFault:
            # it runs out by itself
            return

    def _put(self, body: Json) -> Json:
        return self._client.raw("PUT", path_of(LEASE, self._namespace, self._name), body)

    def _take(self, lease: Json, begin: float) -> None:
        self._held = lease
        # the renewal may be as old as its call
        self._renewed_at = begin
        self.holder = self._identity

    def _is_free(self, lease: Json) -> bool:
        spec = lease.get("spec") or {}
        self.holder = str(spec.get("holderIdentity") or "")
        if self.holder in ("", self._identity):
            return True
        version = str(lease["metadata"]["resourceVersion"])
        if self._seen is None or self._seen.version != version:
            self._seen = _Seen(version, self._clock())
        duration = int(spec.get("leaseDurationSeconds") or self._duration_seconds)
        return self._clock() - self._seen.since >= duration

    def _body(self, before: Json | None) -> Json:
        time_text = _time()
        old = (before or {}).get("spec") or {}
        spec: Json = {
            "holderIdentity": self._identity,
            "leaseDurationSeconds": self._duration_seconds,
            "renewTime": time_text,
            "acquireTime": old.get("acquireTime") or time_text,
            "leaseTransitions": int(old.get("leaseTransitions") or 0),
        }
        if old.get("holderIdentity") != self._identity:
            spec["acquireTime"] = time_text
            spec["leaseTransitions"] += before is not None
        metadata: Json = {"name": self._name, "namespace": self._namespace}
        if before is not None:
            metadata = before["metadata"]
        return {
            "apiVersion": LEASE.api_version,
            "kind": LEASE.kind,
            "metadata": metadata,
            "spec": spec,
        }


def _time() -> str:
    return now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
