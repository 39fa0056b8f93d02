"""The objects of the stand-in API: versions, generations, finalizers, field ownership, watches."""

import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.support.kubernetes.ownership import Path, build, fields_v1, leaves

Json = dict[str, Any]
_OURS = ("name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp")
_SERVER_SIDE = {*_OURS, "managedFields", "deletionTimestamp", "deletionGracePeriodSeconds"}


@dataclass(frozen=True)
class Ref:
    """Which object: ``group`` is empty for the core group, ``namespace`` outside namespaces."""

    group: str
    version: str
    plural: str
    namespace: str
    name: str

    @property
    def collection(self) -> tuple[str, str]:
        return self.group, self.plural


class Refused(Exception):
    """An answer that is an error, as a Status."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code, self.reason, self.message = code, reason, message


Owners = dict[tuple[str, str, str], set[Path]]  # (manager, operation, subresource)


@dataclass
class _Stored:
    body: Json
    owners: Owners = field(default_factory=dict)


class Store:
    """Thread-safe. ``defaults`` fills in what a kind's definition has defaults for."""

    def __init__(self, defaults: Callable[[Ref, Json], None] = lambda ref, body: None) -> None:
        self.lock = threading.Condition()
        self._defaults = defaults
        self._objects: dict[Ref, _Stored] = {}
        self._version = 100
        self.history: list[tuple[int, str, Ref, Json]] = []
        self.oldest = 0

    # -- reading

    def get(self, ref: Ref) -> Json:
        with self.lock:
            return self._shown(self._stored(ref))

    def listing(self, group: str, plural: str, namespace: str) -> tuple[list[Json], int]:
        with self.lock:
            refs = [
                ref
                for ref in sorted(self._objects, key=lambda r: (r.namespace, r.name))
                if ref.collection == (group, plural) and namespace in ("", ref.namespace)
            ]
            return [self._shown(self._objects[ref]) for ref in refs], self._version

    def since(
        self, group: str, plural: str, version: int, seconds: float
    ) -> Iterator[tuple[int, str, Json]]:
        """Yield what happened after a version, as it happens, for up to so long."""
        end = datetime.now(UTC).timestamp() + seconds
        while True:
            with self.lock:
                if version < self.oldest:
                    raise Refused(410, "Expired", f"too old resource version: {version}")
                news = [item for item in self.history if item[0] > version]
                left = end - datetime.now(UTC).timestamp()
                if not news and left <= 0:
                    return
                if not news:
                    self.lock.wait(min(left, 0.2))
                    continue
            for number, type_, ref, body in news:
                version = number
                if ref.collection == (group, plural):
                    yield number, type_, body

    # -- writing

    def create(self, ref: Ref, body: Json, manager: str) -> Json:
        with self.lock:
            if ref in self._objects:
                raise Refused(409, "AlreadyExists", f'{ref.plural} "{ref.name}" already exists')
            stored = self._new(ref, body)
            self._own(stored, {}, manager, "Update", "")
            return self._commit(ref, stored, "ADDED")

    def apply(self, ref: Ref, body: Json, manager: str, *, subresource: str = "") -> Json:
        with self.lock:
            given = body["metadata"].get("uid")
            known = self._objects.get(ref)
            if known is None:
                if subresource:
                    raise Refused(404, "NotFound", f'{ref.plural} "{ref.name}" not found')
                if given:
                    raise Refused(409, "Conflict", "uid mismatch: the object is not there")
                known = self._new(ref, {**body, "spec": {}} if "spec" in body else body, bare=True)
                return self._applied(ref, known, body, manager, subresource, "ADDED")
            if given and given != known.body["metadata"]["uid"]:
                raise Refused(409, "Conflict", f"uid mismatch: {given}")
            return self._applied(ref, deepcopy(known), body, manager, subresource, "MODIFIED")

    def replace(self, ref: Ref, body: Json, manager: str, *, subresource: str = "") -> Json:
        with self.lock:
            stored = deepcopy(self._stored(ref))
            version = body["metadata"].get("resourceVersion")
            if version and version != stored.body["metadata"]["resourceVersion"]:
                raise Refused(409, "Conflict", "the object has been modified")
            before = deepcopy(stored.body)
            if subresource:
                stored.body["status"] = deepcopy(body.get("status", {}))
            else:
                self._take_main(ref, stored, body)
            self._own(stored, before, manager, "Update", subresource)
            return self._commit(ref, stored, "MODIFIED", before)

    def delete(self, ref: Ref, uid: str = "") -> None:
        with self.lock:
            stored = deepcopy(self._stored(ref))
            metadata = stored.body["metadata"]
            if uid and uid != metadata["uid"]:
                raise Refused(409, "Conflict", f"uid mismatch: {uid}")
            if ref.collection == ("", "namespaces"):
                for inner in [r for r in self._objects if r.namespace == ref.name]:
                    self.delete(inner)
            if metadata.get("finalizers"):
                if "deletionTimestamp" not in metadata:
                    metadata["deletionTimestamp"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                    metadata["generation"] = metadata.get("generation", 1) + 1
                    self._commit(ref, stored, "MODIFIED", {})
                return
            self._remove(ref)

    def wipe(self) -> None:
        """Lose everything, as etcd's disk does."""
        with self.lock:
            for ref in list(self._objects):
                del self._objects[ref]
            self.oldest = self._version
            self.history.clear()

    def forget_history(self) -> None:
        """Make every watch from now on begin too late (410)."""
        with self.lock:
            self._version += 1
            self.oldest = self._version

    # -- inside

    def _stored(self, ref: Ref) -> _Stored:
        if ref not in self._objects:
            raise Refused(404, "NotFound", f'{ref.plural} "{ref.name}" not found')
        return self._objects[ref]

    def _new(self, ref: Ref, body: Json, *, bare: bool = False) -> _Stored:
        if ref.namespace and Ref("", "v1", "namespaces", "", ref.namespace) not in self._objects:
            raise Refused(404, "NotFound", f'namespaces "{ref.namespace}" not found')
        metadata = {"name": ref.name, "uid": str(uuid.uuid4()), "generation": 1}
        if ref.namespace:
            metadata["namespace"] = ref.namespace
        metadata["creationTimestamp"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        head = {"apiVersion": body["apiVersion"], "kind": body["kind"], "metadata": metadata}
        stored = _Stored(head)
        if not bare:
            self._take_main(ref, stored, body)
        return stored

    def _take_main(self, ref: Ref, stored: _Stored, body: Json) -> None:
        """Take all but the status over; what only the server writes stays."""
        metadata = stored.body["metadata"]
        kept = {key: metadata[key] for key in _SERVER_SIDE if key in metadata}
        fresh = {k: v for k, v in deepcopy(body["metadata"]).items() if k not in _SERVER_SIDE}
        listed = body["metadata"].get("managedFields")
        status = stored.body.get("status")
        rest = {k: v for k, v in deepcopy(body).items() if k not in ("metadata", "status")}
        stored.body = {**rest, "metadata": {**fresh, **kept}}
        if status is not None:
            stored.body["status"] = status
        if listed is not None:
            kept_owners = {(e["manager"], e["operation"], e.get("subresource", "")) for e in listed}
            stored.owners = {k: v for k, v in stored.owners.items() if k in kept_owners}
        self._defaults(ref, stored.body)

    def _applied(
        self, ref: Ref, stored: _Stored, body: Json, manager: str, subresource: str, type_: str
    ) -> Json:
        before = deepcopy(stored.body)
        wanted = dict(leaves(_part(body, subresource)))
        mine = (manager, "Apply", subresource)
        current = dict(leaves(_part(stored.body, subresource)))
        held = {path for key, paths in stored.owners.items() if key != mine for path in paths}
        for path in stored.owners.get(mine, set()) - wanted.keys() - held:
            current.pop(path, None)
        for key, paths in stored.owners.items():
            if key != mine:
                paths -= {p for p in paths & wanted.keys() if current.get(p) != wanted[p]}
        current = {p: v for p, v in current.items() if not _covered(p, wanted)} | wanted
        stored.owners[mine] = set(wanted)
        stored.owners = {key: paths for key, paths in stored.owners.items() if paths}
        merged = build(current)
        if subresource:
            stored.body["status"] = merged.get("status", {})
        else:
            full = {**stored.body, **merged}
            full["metadata"] = {**_kept(stored.body), **merged.get("metadata", {})}
            self._take_main(ref, stored, full)
        return self._commit(ref, stored, type_, before if type_ == "MODIFIED" else None)

    def _own(self, stored: _Stored, before: Json, manager: str, operation: str, sub: str) -> None:
        was, now = dict(leaves(_part(before, sub))), dict(leaves(_part(stored.body, sub)))
        changed = {path for path, value in now.items() if was.get(path) != value}
        gone = was.keys() - now.keys()
        for paths in stored.owners.values():
            paths -= changed | gone
        if changed:
            stored.owners.setdefault((manager, operation, sub), set()).update(changed)
        stored.owners = {key: paths for key, paths in stored.owners.items() if paths}

    def _commit(self, ref: Ref, stored: _Stored, type_: str, before: Json | None = None) -> Json:
        metadata = stored.body["metadata"]
        known = self._objects.get(ref)
        if before and known is not None and stored.body == before and stored.owners == known.owners:
            return self._shown(stored)
        if before and before.get("spec") != stored.body.get("spec"):
            metadata["generation"] = metadata.get("generation", 1) + 1
        if "deletionTimestamp" in metadata and not metadata.get("finalizers"):
            self._objects[ref] = stored
            self._remove(ref)
            return self._shown(stored)
        self._version += 1
        metadata["resourceVersion"] = str(self._version)
        self._objects[ref] = stored
        self._tell(type_, ref, stored)
        return self._shown(stored)

    def _remove(self, ref: Ref) -> None:
        stored = self._objects.pop(ref)
        self._version += 1
        stored.body["metadata"]["resourceVersion"] = str(self._version)
        self._tell("DELETED", ref, stored)
        uid = stored.body["metadata"]["uid"]
        for inner, owned in list(self._objects.items()):
            references = owned.body["metadata"].get("ownerReferences", ())
            if any(reference["uid"] == uid for reference in references):
                self.delete(inner)

    def _tell(self, type_: str, ref: Ref, stored: _Stored) -> None:
        self.history.append((self._version, type_, ref, self._shown(stored)))
        self.lock.notify_all()

    @staticmethod
    def _shown(stored: _Stored) -> Json:
        body = deepcopy(stored.body)
        entries = []
        for (manager, operation, subresource), paths in stored.owners.items():
            entry = {"manager": manager, "operation": operation, "fieldsV1": fields_v1(paths)}
            entries.append(entry | ({"subresource": subresource} if subresource else {}))
        body["metadata"]["managedFields"] = entries
        return body


def _main(body: Mapping[str, Any]) -> Json:
    kept = {k: v for k, v in body.items() if k not in ("apiVersion", "kind", "metadata", "status")}
    metadata = {k: v for k, v in body.get("metadata", {}).items() if k not in _SERVER_SIDE}
    return {**kept, "metadata": metadata} if metadata else kept


def _kept(body: Json) -> Json:
    return {k: v for k, v in body["metadata"].items() if k in _SERVER_SIDE}


def _part(body: Mapping[str, Any], subresource: str) -> Json:
    return {"status": body.get("status", {})} if subresource else _main(body)


def _covered(path: Path, wanted: dict[Path, Any]) -> bool:
    """Whether a whole value that is wanted stands where this field is, or the other way round."""
    return any(path[: len(p)] == p or p[: len(path)] == path for p in wanted)
