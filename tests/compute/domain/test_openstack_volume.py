"""The volume's decision: tables for each rule, and properties on a model of clusters over one storage."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compute.domain.openstack_volume import decide
from compute.domain.openstack_volume_state import (
    Action,
    AdoptVolume,
    CreateVolume,
    DeleteVolume,
    Desired,
    ExtendVolume,
    ForgetClusters,
    FreeAttachment,
    ManageVolume,
    MarkVolume,
    Observed,
    Purged,
    RemoveFailedManage,
    Saved,
    SaveForMove,
    SetBootable,
    SetImageMetadata,
    UnmanageVolume,
)
from cycloud.core.reconcile.outcomes import Done, Transient
from cycloud.core.reconcile.plans import Plan
from cycloud.openstack.observations import UID_KEY, AttachmentSeen, VolumeSeen

UID = "7d1f"
SHARED = frozenset({"a", "b"})


def volume(id_: str = "v1", status: str = "available", **kw: object) -> VolumeSeen:
    defaults: dict[str, object] = {"size_gib": 10, "metadata": {UID_KEY: UID}}
    return VolumeSeen(id=id_, status=status, **{**defaults, **kw})  # type: ignore[arg-type]


def wanted(**kw: object) -> Desired:
    defaults: dict[str, object] = {"uid": UID, "target": "a", "size_gib": 10, "shared": SHARED}
    return Desired(**{**defaults, **kw})  # type: ignore[arg-type]


def held(**kw: object) -> Desired:
    """A volume with bytes, in a."""
    defaults: dict[str, object] = {
        "home": "a",
        "provider_id": "v1",
        "created": True,
        "references": ("volume-v1",),
        "footprint": frozenset({"a"}),
    }
    return wanted(**{**defaults, **kw})


ATTACHED = volume(status="in-use", attachments=(AttachmentSeen("att", "s1"),))


@pytest.mark.parametrize(
    ("desired", "observed", "actions", "reason"),
    [
        pytest.param(
            wanted(),
            Observed({"a": (), "b": ()}),
            [CreateVolume("a")],
            "VolumeBindingNotReady",
            id="a new volume is made once every cluster was seen without it",
        ),
        pytest.param(
            wanted(), Observed({"a": None}), [], "ProviderUnreachable", id="unknown never creates"
        ),
        pytest.param(
            wanted(),
            Observed({"a": (), "b": None}),
            [CreateVolume("a")],
            "VolumeBindingNotReady",
            id="a cluster that never had it does not hold up a new volume",
        ),
        pytest.param(
            wanted(footprint=frozenset({"b"})),
            Observed({"a": (), "b": None}),
            [],
            "ProviderUnreachable",
            id="one that may have it does",
        ),
        pytest.param(
            held(),
            Observed({"a": (), "b": None}, listed="volume-v1"),
            [],
            "ProviderUnreachable",
            id="bytes are not taken in while a cluster could show them",
        ),
        pytest.param(
            wanted(cannot_create="no image here"),
            Observed({"a": (), "b": ()}),
            [],
            "InvalidConfiguration",
            id="an image that is missing makes no empty volume",
        ),
        pytest.param(
            held(),
            Observed({"a": (), "b": ()}, listed=""),
            [],
            "DataNotFound",
            id="lost bytes are never replaced",
        ),
        pytest.param(
            held(),
            Observed({"a": (), "b": ()}, listed="volume-v1"),
            [ManageVolume("a", "volume-v1")],
            "VolumeBindingNotReady",
            id="an unmanaged object is taken in again",
        ),
        pytest.param(
            held(target="b"),
            Observed({"a": (volume(),), "b": ()}, snapshots=0),
            [SaveForMove(volume()), UnmanageVolume("a", "v1")],
            "VolumeBindingNotReady",
            id="a free volume leaves, after what unmanage forgets was saved",
        ),
        pytest.param(
            held(target="b"),
            Observed({"a": (ATTACHED,), "b": ()}, snapshots=0),
            [],
            "VolumeBindingNotReady",
            id="an attached volume stays",
        ),
        pytest.param(
            held(target="b"),
            Observed({"a": (ATTACHED,), "b": ()}, snapshots=0, orphans=("att",)),
            [FreeAttachment("a", "att")],
            "VolumeBindingNotReady",
            id="an attachment to a server that is gone is freed",
        ),
        pytest.param(
            held(target="b"),
            Observed({"a": (volume(),), "b": ()}, snapshots=2),
            [],
            "MoveBlocked",
            id="snapshots block",
        ),
        pytest.param(
            held(target="b"),
            Observed({"a": (volume(encrypted=True),), "b": ()}, snapshots=0),
            [],
            "MoveBlocked",
            id="encryption blocks",
        ),
        pytest.param(
            held(target="b"),
            Observed({"a": (volume(group_id="g"),), "b": ()}, snapshots=0),
            [],
            "MoveBlocked",
            id="a group blocks",
        ),
        pytest.param(
            held(target="b", movable=False),
            Observed({"a": (volume(),), "b": ()}, snapshots=0),
            [],
            "MoveBlocked",
            id="another storage blocks",
        ),
        pytest.param(
            held(target="b"),
            Observed({"a": (volume(status="unmanaging"),), "b": ()}),
            [],
            "VolumeBindingNotReady",
            id="unmanage is waited for",
        ),
        pytest.param(
            held(target="b"),
            Observed({"a": (), "b": (volume("v9", "error", size_gib=0),)}),
            [RemoveFailedManage("b", "v9", "volume-v9")],
            "VolumeBindingNotReady",
            id="a failed manage is removed by unmanage, never by delete",
        ),
        pytest.param(
            held(target="b"),
            Observed({"a": (), "b": (volume("v2"),)}),
            [AdoptVolume("b", volume("v2"), True), ForgetClusters(frozenset({"a"}))],
            "VolumeBindingReady",
            id="what a lost answer left in the target is adopted",
        ),
        pytest.param(
            wanted(),
            Observed({"a": (volume(status="error"),), "b": ()}),
            [DeleteVolume("a", "v1")],
            "ProviderError",
            id="a create that failed held no bytes and is removed",
        ),
        pytest.param(
            held(),
            Observed({"a": (volume(status="error"),), "b": ()}),
            [],
            "ProviderError",
            id="a volume with bytes in error is left alone",
        ),
        pytest.param(
            held(size_gib=20),
            Observed({"a": (volume(),)}),
            [ExtendVolume("a", "v1", 20)],
            "VolumeBindingNotReady",
            id="grows",
        ),
        pytest.param(
            held(saved=Saved(bootable=True, image_metadata={"os": "x"})),
            Observed({"a": (volume(),)}),
            [SetBootable("a", "v1"), SetImageMetadata("a", "v1", {"os": "x"})],
            "VolumeBindingNotReady",
            id="what unmanage forgot is restored",
        ),
        pytest.param(
            held(),
            Observed({"a": (volume(metadata={}),)}),
            [MarkVolume("a", "v1")],
            "VolumeBindingReady",
            id="a mark that somebody removed comes back",
        ),
        pytest.param(
            held(footprint=frozenset({"a", "b"})),
            Observed({"a": (volume(),), "b": ()}),
            [ForgetClusters(frozenset({"b"}))],
            "VolumeBindingReady",
            id="an old place is forgotten",
        ),
        pytest.param(
            held(wanted=False),
            Observed({"a": (volume(),), "b": ()}, snapshots=0),
            [],
            "Deleting",
            id="nothing is purged before its time",
        ),
        pytest.param(
            held(wanted=False, purge_due=True),
            Observed({"a": (volume(),), "b": ()}, snapshots=0),
            [DeleteVolume("a", "v1")],
            "Deleting",
            id="purged in time",
        ),
        pytest.param(
            held(wanted=False, purge_due=True),
            Observed({"a": (), "b": ()}, listed="volume-v1"),
            [ManageVolume("a", "volume-v1")],
            "Deleting",
            id="an unmanaged object is taken in to be purged",
        ),
        pytest.param(
            held(wanted=False, purge_due=True),
            Observed({"a": (), "b": ()}, listed=""),
            [Purged()],
            "Deleting",
            id="purged only when the storage lists it no longer",
        ),
        pytest.param(
            held(wanted=False, purge_due=True),
            Observed({"a": (), "b": None}),
            [],
            "ProviderUnreachable",
            id="unknown is not purged",
        ),
        pytest.param(
            held(wanted=False, purge_due=True),
            Observed({"a": (volume(),), "b": ()}, snapshots=1),
            [],
            "Deleting",
            id="a volume with snapshots waits for its purge",
        ),
        pytest.param(
            wanted(wanted=False, purge_due=True),
            Observed({"a": (), "b": ()}),
            [Purged()],
            "Deleting",
            id="a volume that never had bytes just goes",
        ),
        pytest.param(
            wanted(),
            Observed({"a": (volume("v1"), volume("v2", "creating")), "b": ()}),
            [],
            "VolumeBindingNotReady",
            id="a double is waited for while it is being made",
        ),
        pytest.param(
            wanted(),
            Observed({"a": (volume("v1"), volume("v2")), "b": ()}),
            [DeleteVolume("a", "v2")],
            "VolumeBindingNotReady",
            id="a double without bytes is removed",
        ),
        pytest.param(
            held(),
            Observed({"a": (volume("v1"), volume("v2")), "b": ()}),
            [],
            "DataFoundTwice",
            id="a double with bytes is never touched",
        ),
    ],
)
def test_rule(desired: Desired, observed: Observed, actions: list[object], reason: str) -> None:
    plan = decide(desired, observed)
    assert plan.conditions[0].reason == reason
    assert (plan.conditions[0].status == "True") == (reason == "VolumeBindingReady")
    assert list(plan.actions) == actions


def test_absence_at_home_is_looked_at_everywhere_before_anything_is_done() -> None:
    plan = decide(held(), Observed({"a": ()}))
    assert plan.look_everywhere
    assert not plan.actions


def test_a_failed_manage_backs_off() -> None:
    observed = Observed({"a": (), "b": (volume("v9", "error", size_gib=0),)})
    assert isinstance(decide(held(target="b"), observed).outcome, Transient)


@dataclass
class Model:
    """Clusters over one storage: what Cinder does with each action, without its waits."""

    records: dict[str, dict[str, VolumeSeen]] = field(default_factory=lambda: {"a": {}, "b": {}})
    storage: dict[str, str] = field(default_factory=dict)  # object name -> bytes
    desired: Desired = field(default_factory=wanted)
    counter: int = 0
    purged: bool = False

    def new_id(self) -> str:
        self.counter += 1
        return f"n{self.counter}"

    def observe(self) -> Observed:
        volumes = {c: tuple(v.values()) for c, v in self.records.items()}
        owned = {f"volume-{i}" for v in self.records.values() for i in v}
        listed = next(
            (r for r in self.desired.references if r in self.storage and r not in owned), ""
        )
        return Observed(volumes, snapshots=0, listed=listed)

    def apply(self, action: object) -> None:
        d = self.desired
        match action:
            case CreateVolume(c):
                assert not d.created, "an empty volume in place of bytes"
                i = self.new_id()
                self.records[c][i] = volume(i, size_gib=d.size_gib)
                self.storage[f"volume-{i}"] = "bytes"
                self.desired = replace(d, footprint=d.footprint | {c})
            case AdoptVolume(c, v, has):
                self.desired = replace(
                    d,
                    home=c,
                    provider_id=v.id,
                    created=d.created or has,
                    references=(v.backend_reference,),
                    footprint=d.footprint | {c},
                )
            case ManageVolume(c, reference):
                assert not any(self.records.values()), "managed while another cluster shows it"
                i = self.new_id()
                self.storage[f"volume-{i}"] = self.storage.pop(reference)
                self.records[c][i] = volume(i)
                self.desired = replace(d, footprint=d.footprint | {c})
            case UnmanageVolume(c, i):
                del self.records[c][i]
            case DeleteVolume(c, i):
                assert d.purge_due or not d.created
                del self.records[c][i]
                self.storage.pop(f"volume-{i}", None)
            case ExtendVolume(c, i, size):
                self.records[c][i] = replace(self.records[c][i], size_gib=size)
            case SetBootable(c, i):
                self.records[c][i] = replace(self.records[c][i], bootable=True)
            case SetImageMetadata(c, i, meta):
                self.records[c][i] = replace(self.records[c][i], image_metadata=meta)
            case MarkVolume(c, i):
                self.records[c][i] = replace(self.records[c][i], metadata={UID_KEY: UID})
            case ForgetClusters(gone):
                self.desired = replace(d, footprint=d.footprint - gone)
            case SaveForMove(v):
                self.desired = replace(d, references=(v.backend_reference,))
            case Purged():
                self.purged = True
            case _:
                raise AssertionError(action)

    def settle(self, stop_after: int | None = None) -> Plan[Action]:
        for step in range(40):
            plan = decide(self.desired, self.observe())
            if stop_after is not None and step >= stop_after:
                return plan
            for action in plan.actions:
                self.apply(action)
            if isinstance(plan.outcome, Done) or self.purged:
                return plan
        raise AssertionError(f"does not converge: {plan}")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 6)), max_size=8), st.booleans())
def test_any_chain_of_moves_cut_off_anywhere_keeps_the_bytes(
    moves: list[tuple[str, int]], purge: bool
) -> None:
    model = Model()
    model.settle()
    for target, cut in moves:
        model.desired = replace(model.desired, target=target)
        model.settle(stop_after=cut)
        assert list(model.storage.values()) == ["bytes"]
    if purge:
        model.desired = replace(model.desired, wanted=False, purge_due=True)
        model.settle()
        assert model.storage == {}
        assert model.purged
        return
    model.settle()
    assert list(model.storage.values()) == ["bytes"]
    assert [len(model.records[c]) for c in "ab"] == (
        [1, 0] if model.desired.target == "a" else [0, 1]
    )
    second = decide(model.desired, model.observe())
    assert not second.actions, "a second plan is not empty"
    assert isinstance(second.outcome, Done)
