"""What one pass has at hand, and the writes it can make. Each is made only where something differs."""

from dataclasses import dataclass, field

from cycloud.core.clock import now
from cycloud.core.conditions import Condition
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome, Wait
from cycloud.kubernetes.client import KubernetesClient, path_of
from cycloud.kubernetes.events import News, changes, tell
from cycloud.kubernetes.kinds import Json, Kind, Manifest
from cycloud.kubernetes.namespace_objects import ensure_namespace
from cycloud.kubernetes.objects import (
    ACCEPTED,
    MANAGER,
    META_MANAGER,
    STATUS_MANAGER,
    declaration,
    foreign_writers,
    has_our_finalizer,
    is_declared,
    is_marked,
    marks_of,
    owns_spec,
    same_status,
    status_body,
    status_of,
    uid_of,
    without_finalizer,
    without_ownership,
)
from cycloud.kubernetes.places import Place
from cycloud.kubernetes.registry import kind_named

__all__ = ["Pass"]

_OWNER_SECONDS = 1.0


@dataclass
class Pass:
    """One pass on one object. ``client`` calls are made under the lease of ``work``."""

    work: Work
    client: KubernetesClient
    kind: Kind
    place: Place
    name: str
    _owner: Json | None = field(default=None, init=False)

    def look(self) -> Json | None:
        """Return the object as it is now."""
        return self.client.get(self.kind.api, self.place.namespace, self.place.name)

    def manifest(self) -> Manifest | None:
        """Return what the row says now."""
        if self.place.namespace and self.place.binding is None:
            return None
        return self.kind.manifests([self.name]).get(self.name)

    def write_anew(self, manifest: Manifest) -> Outcome:
        """Write an object that is not there, also one whose declaration is somebody else's: it got lost."""
        managed = manifest.managed_by == self.place.path
        if managed and manifest.deleting:
            return Done()
        if not self._find_owner(manifest):
            return Wait(_OWNER_SECONDS, "its owner is not there yet")
        if self.place.namespace and not ensure_namespace(self.client, self.place):
            return Wait(_OWNER_SECONDS, f"the namespace {self.place.namespace} is not there yet")
        body = declaration(self.kind, self.place, manifest, self._owner, None)
        observed = self.client.apply(self.kind.api, body, manager=MANAGER)
        if managed:
            observed = self.mark(observed)
        self.write_status(manifest, observed, ACCEPTED if managed else None)
        return Done()

    def put(self, manifest: Manifest, observed: Json) -> Outcome:
        """Write declaration and status of what the API owns where they differ; put back what others wrote."""
        if has_our_finalizer(observed):
            observed = self.drop_finalizer(observed)
        if not is_declared(manifest, observed):
            if not self._find_owner(manifest):
                return Wait(_OWNER_SECONDS, "its owner is not there yet")
            others = foreign_writers(observed, "spec")
            # before the write, which takes away what it would be told from after a crash
            self._tell_put_back(observed, others, "spec")
            body = declaration(self.kind, self.place, manifest, self._owner, observed)
            written = self.client.apply(self.kind.api, body, manager=MANAGER)
            if written.get("spec") != body["spec"]:
                # server-side apply leaves what others added beside ours
                path = self._path()
                written = self.client.raw("PUT", path, {**written, "spec": body["spec"]})
            observed = written
        self.write_status(manifest, observed, None)
        return Done()

    def mark(self, observed: Json) -> Json:
        """Hold an object that Kubernetes manages back from going before its resource, and leave its spec to others."""
        if is_marked(observed):
            return observed
        body = marks_of(self.kind, self.place, observed)
        observed = self.client.apply(self.kind.api, body, manager=META_MANAGER)
        if owns_spec(observed):
            observed = self._patch(without_ownership(observed))
        return observed

    def drop_finalizer(self, observed: Json) -> Json:
        """Let an object go."""
        return self._patch(without_finalizer(observed)) if has_our_finalizer(observed) else observed

    def delete(self, observed: Json) -> None:
        """Delete this very object."""
        self.client.delete(
            self.kind.api, self.place.namespace, self.place.name, uid=uid_of(observed)
        )

    def write_status(
        self, manifest: Manifest | None, observed: Json, accepted: Condition | None
    ) -> bool:
        """Write the status where it differs, each change of a reason as an Event first; tell whether it did."""
        wanted = status_of(manifest, observed, accepted, now())
        if same_status(observed, wanted):
            return False
        for news in changes(observed, wanted, shows_messages=not self.kind.names_clusters):
            self.tell(observed, news)
        self._tell_put_back(observed, foreign_writers(observed, "status"), "status")
        body = status_body(self.kind, self.place, observed, wanted)
        written = self.client.apply_status(self.kind.api, body, manager=STATUS_MANAGER)
        if not same_status(written, wanted):
            self.client.raw("PUT", f"{self._path()}/status", {**written, "status": wanted})
        return True

    def tell(self, observed: Json, news: News) -> None:
        """Write an Event about the object."""
        tell(self.client, self.place, observed, news)

    def _tell_put_back(self, observed: Json, others: list[str], part: str) -> None:
        if not others:
            return
        note = (
            f"{', '.join(others)} wrote to the {part}, which belongs to Cycloud: it was put back. Change the resource "
            "over the API, or have it adopted."
        )
        # whoever does so over and over is told by one Event that counts
        self.tell(observed, News("PutBack", note, is_warning=True))

    def _find_owner(self, manifest: Manifest) -> bool:
        """Fetch the object's owner, if it is to have one; tell whether it is there."""
        if manifest.owner is None:
            return True
        api = kind_named(manifest.owner.kind).api
        self._owner = self.client.get(api, self.place.namespace, manifest.owner.name)
        return self._owner is not None

    def _patch(self, operations: list[Json]) -> Json:
        api, place = self.kind.api, self.place
        return self.client.patch_json(api, place.namespace, place.name, operations)

    def _path(self) -> str:
        return path_of(self.kind.api, self.place.namespace, self.place.name)
