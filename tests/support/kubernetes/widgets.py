"""A kind for tests of the sync itself: widgets, whose rows are in memory."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

from cycloud.core.aip.errors import CycloudError, FailedPrecondition
from cycloud.core.conditions import READY, Condition, Status
from cycloud.kubernetes.kinds import ApiKind, Intake, Json, Kind, Manifest, Owner, TakenIn

__all__ = ["PART", "TEAM", "WIDGET", "Parts", "Widgets", "ready"]

# the namespace of the tests' project
TEAM = "cycloud-contract"

WIDGET = ApiKind("test.cycloud.jp", "Widget", "widgets")
PART = ApiKind("test.cycloud.jp", "Part", "parts")
_TIME = datetime(2026, 11, 1, tzinfo=UTC)


def ready(reason: str = "Updated", *, ok: bool = True, message: str = "") -> Condition:
    status = Status.TRUE if ok else Status.FALSE
    return Condition(READY, status, reason, message, last_transition_time=_TIME)


@dataclass
class Widgets(TakenIn):
    """``rows`` are the database. ``refusal``: what every write is refused with; ``taken``: what was taken in."""

    rows: dict[str, Manifest] = field(default_factory=dict)
    refusal: CycloudError | None = None
    taken: list[tuple[str, str, Json]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    # whether a deletion is done at once, or has begun only
    goes_at_once: bool = True
    # a widget of this size cannot be deleted
    protected_size: int | None = None

    api = WIDGET
    row_kind = "Widget"
    collection = "widgets"

    def add(self, name: str, **fields: object) -> Manifest:
        """Have a row; it is the API's unless ``managed_by`` is given."""
        size = fields.pop("size", 1)
        manifest = Manifest(uuid4(), {"size": size}, conditions=(ready(),), **fields)  # type: ignore[arg-type]
        self.rows[name] = manifest
        return manifest

    def change(self, name: str, **fields: object) -> None:
        self.rows[name] = replace(self.rows[name], **fields)  # type: ignore[arg-type]

    def manifests(self, names: Collection[str]) -> dict[str, Manifest]:
        return {name: self.rows[name] for name in names if name in self.rows}

    def names(self) -> Iterator[str]:
        yield from list(self.rows)

    def names_of(self, uids: Collection[UUID]) -> dict[UUID, str]:
        return {row.uid: name for name, row in self.rows.items() if row.uid in uids}

    def take(self, intake: Intake, name: str, manifest: Json) -> None:
        if self.refusal is not None:
            raise self.refusal
        row = self.rows.get(name)
        if row is None:
            self.taken.append((intake.actor.principal, name, manifest["spec"]))
            self.add(name, managed_by=intake.manager, **manifest["spec"])
        elif row.spec != manifest["spec"]:
            self.taken.append((intake.actor.principal, name, manifest["spec"]))
            self.change(name, spec=manifest["spec"], settled=False)

    def remove(self, intake: Intake, name: str) -> None:
        if self.refusal is not None:
            raise self.refusal
        if self.rows[name].spec["size"] == self.protected_size:
            raise FailedPrecondition("It is protected.", reason="DELETION_PROTECTED")
        self.removed.append(name)
        if self.goes_at_once:
            self.rows.pop(name, None)
        else:
            self.change(name, deleting=True, conditions=(ready("Deleting", ok=False),))


@dataclass
class Parts(Kind):
    """Rows that each belong to the widget of the same name; read only."""

    rows: dict[str, Manifest] = field(default_factory=dict)

    api = PART
    row_kind = "Part"
    collection = "widgets"
    names_clusters = True

    def add(self, name: str) -> None:
        owner = Owner("Widget", name.rpartition("/")[2])
        conditions = (ready("ProviderError", ok=False, message="of cluster-a"),)
        self.rows[name] = Manifest(uuid4(), {"wanted": True}, conditions=conditions, owner=owner)

    def manifests(self, names: Collection[str]) -> dict[str, Manifest]:
        return {name: self.rows[name] for name in names if name in self.rows}

    def names(self) -> Iterator[str]:
        yield from list(self.rows)

    def names_of(self, uids: Collection[UUID]) -> dict[UUID, str]:
        return {row.uid: name for name, row in self.rows.items() if row.uid in uids}
