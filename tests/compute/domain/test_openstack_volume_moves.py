"""Chains of moves on a model of clusters over one storage, cut off anywhere: the bytes are kept."""

from dataclasses import dataclass, field, replace

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
    ManageVolume,
    MarkVolume,
    Observed,
    Purged,
    SaveForMove,
    SetBootable,
    SetImageMetadata,
    UnmanageVolume,
)
from cycloud.core.reconcile.outcomes import Done
from cycloud.core.reconcile.plans import Plan
from cycloud.openstack.observations import UID_KEY, VolumeSeen
from tests.compute.domain.volumes import UID, volume, wanted


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
        # what was let go by us is managed without a look at the listing
        unseen = self.desired.released and self.desired.wanted
        return Observed(volumes, snapshots=0, listed=None if unseen else listed)

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
                    released=False,
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
                self.desired = replace(d, references=(v.backend_reference,), released=True)
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
