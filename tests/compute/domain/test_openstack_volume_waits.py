"""When the volume's decision wants to see more first, and when it waits for a person or another controller."""

from dataclasses import replace

import pytest

from compute.domain.openstack_volume import SOON, blockers_of, decide
from compute.domain.openstack_volume_state import Desired, FreeAttachment, ManageVolume, Observed
from cycloud.core.reconcile.outcomes import Transient
from cycloud.core.reconcile.plans import POLL
from cycloud.openstack.observations import AttachmentSeen
from tests.compute.domain.volumes import held, volume, wanted

PURGE = held(wanted=False, purge_due=True)
ATTACHED = volume(status="in-use", attachments=(AttachmentSeen("att", "s1"),))


@pytest.mark.parametrize(
    ("desired", "observed"),
    [
        pytest.param(held(), Observed({"a": (), "b": ()}), id="what the storage lists"),
        pytest.param(PURGE, Observed({"a": (volume(),)}), id="all clusters before a purge"),
        pytest.param(PURGE, Observed({"a": (volume(),), "b": ()}), id="snapshots before a purge"),
        pytest.param(
            held(target="b"), Observed({"a": (volume(),), "b": ()}), id="snapshots before a move"
        ),
        pytest.param(
            held(footprint=frozenset({"a", "b"})),
            Observed({"a": (volume(),)}),
            id="an old place before it is forgotten",
        ),
    ],
)
def test_more_is_looked_at_before_anything_is_done(desired: Desired, observed: Observed) -> None:
    plan = decide(desired, observed)
    assert plan.look_everywhere
    assert not plan.actions


def test_what_we_let_go_is_taken_over_by_its_name_once_no_cluster_shows_it() -> None:
    released = held(target="b", released=True)
    plan = decide(released, Observed({"a": (), "b": ()}))
    assert plan.actions == (ManageVolume("b", "volume-v1"),)
    for unseen in ({"a": (), "b": None}, {"b": ()}, {"a": (), "b": ()}):
        third = replace(released, shared=frozenset({"a", "b", "c"}))
        assert not decide(third, Observed(unseen)).actions


@pytest.mark.parametrize("status", ["unmanaging", "creating"])
def test_a_volume_that_changes_hands_is_looked_at_again_soon(status: str) -> None:
    plan = decide(held(target="b"), Observed({"a": (volume(status=status),), "b": ()}))
    assert (plan.outcome, plan.actions) == (SOON, ())
    fresh = decide(wanted(), Observed({"a": (volume(status="creating"),)}))
    assert (fresh.outcome, fresh.actions) == (POLL, ())


def test_what_we_let_go_must_be_listed_before_it_is_taken_over_for_a_purge() -> None:
    plan = decide(replace(PURGE, released=True), Observed({"a": (), "b": ()}))
    assert plan.look_everywhere
    assert not plan.actions


def test_a_purge_waits_for_a_cluster_that_cannot_be_seen() -> None:
    plan = decide(PURGE, Observed({"a": (volume(),), "b": None}))
    assert (plan.conditions[0].reason, plan.actions) == ("ProviderUnreachable", ())


def test_a_purge_waits_while_a_server_has_the_volume() -> None:
    observed = Observed({"a": (ATTACHED,), "b": ()}, snapshots=0)
    plan = decide(PURGE, observed)
    assert not plan.actions
    assert isinstance(plan.outcome, Transient)
    freed = decide(PURGE, replace(observed, orphans=("att",)))
    assert freed.actions == (FreeAttachment("a", "att"),)


def test_an_attachment_to_a_server_that_is_gone_is_freed_where_the_volume_stays() -> None:
    plan = decide(held(), Observed({"a": (ATTACHED,)}, orphans=("att",)))
    assert plan.actions == (FreeAttachment("a", "att"),)


def test_a_grow_that_the_storage_refused_waits_for_an_operator() -> None:
    plan = decide(held(size_gib=20), Observed({"a": (volume(status="error_extending"),)}))
    assert (plan.conditions[0].reason, plan.actions) == ("ProviderError", ())


def test_a_volume_that_is_being_migrated_cannot_move() -> None:
    assert blockers_of(volume(migration_status="migrating"), 0) == ("migrating",)
    assert blockers_of(volume(migration_status="success"), 0) == ()
