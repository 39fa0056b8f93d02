"""The volume's decision: a table of its rules."""

import pytest

from compute.domain.openstack_volume import decide
from compute.domain.openstack_volume_state import (
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
from cycloud.openstack.observations import AttachmentSeen
from tests.compute.domain.volumes import held, volume, wanted

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
            "VolumeBindingReady",
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


def test_what_may_be_left_in_a_cluster_that_does_not_answer_is_looked_for_again() -> None:
    moved = held(footprint=frozenset({"a", "b"}))
    plan = decide(moved, Observed({"a": (volume(),), "b": None}))
    assert plan.conditions[0].status == "True"
    assert isinstance(plan.outcome, Transient)
    assert not plan.actions
    plan = decide(moved, Observed({"a": (volume(),), "b": ()}))
    assert plan.outcome == Done()
    assert plan.actions == (ForgetClusters(frozenset({"b"})),)
