"""The steps of a pass that take a declaration in, or delete what it declared."""

from contextlib import suppress

from cycloud.core.aip.errors import CycloudError
from cycloud.core.iam.access import audit_refusal
from cycloud.core.reconcile.models import DueRow
from cycloud.core.reconcile.outcomes import Done, Outcome
from cycloud.kubernetes.intake import dry_run, intake_for, outcome_of, refusal_of
from cycloud.kubernetes.kinds import Json, Manifest, TakenIn
from cycloud.kubernetes.marks import CONTROLLER, mark
from cycloud.kubernetes.objects import ACCEPTED, has_our_finalizer
from cycloud.kubernetes.passes import Pass
from cycloud.kubernetes.registry import split_key

__all__ = ["delete_resource", "take_in", "take_new"]

_MOST_WOKEN = 1000


def take_new(sync: Pass, kind: TakenIn, observed: Json) -> Outcome:
    """Take in what a person declared and no row is of yet.

    The finalizer comes before the row, so that the object cannot go unnoticed in between; and before the finalizer a
    dry run: what is refused is not held.
    """
    if not has_our_finalizer(observed):
        error = dry_run(kind, sync.name, observed)
        if error is not None:
            return _refuse(sync, None, observed, error)
        observed = sync.mark(observed)
    outcome = take_in(sync, kind, None, observed)
    if isinstance(outcome, Done):
        _wake_those_who_wait(sync)
    return outcome


def take_in(sync: Pass, kind: TakenIn, manifest: Manifest | None, observed: Json) -> Outcome:
    """Make the row say what the object says, all or nothing, and show the row's status.

    ``manifest``: what the row says by now, None where there is none.
    """
    if manifest is not None:
        observed = sync.mark(observed)
    try:
        with sync.work.publishing():
            kind.take(intake_for(sync.place), sync.name, observed)
    except CycloudError as error:
        return _refuse(sync, manifest, observed, error)
    sync.write_status(sync.manifest(), observed, ACCEPTED)
    return Done()


def delete_resource(sync: Pass, kind: TakenIn, manifest: Manifest, observed: Json) -> Outcome:
    """Delete what an object declared that is being deleted; let it go when the resource is."""
    try:
        with sync.work.publishing():
            kind.remove(intake_for(sync.place), sync.name)
    except CycloudError as error:
        # what the object says now may be what lets it go: that asks for another pass then
        with suppress(CycloudError), sync.work.publishing():
            kind.take(intake_for(sync.place), sync.name, observed)
        return _refuse(sync, manifest, observed, error)
    left = sync.manifest()
    if left is None:
        sync.drop_finalizer(observed)
    else:
        sync.write_status(left, observed, ACCEPTED)
    return Done()


def _refuse(sync: Pass, manifest: Manifest | None, observed: Json, error: CycloudError) -> Outcome:
    """Show the refusal; the first time also in the audit log, whose own rows went with the transaction."""
    refusal = refusal_of(error)
    if sync.write_status(manifest, observed, refusal):
        try:
            actor = intake_for(sync.place).actor
        except CycloudError:
            # nobody is bound to the namespace: there is nobody to whom the refusal could be put down
            return outcome_of(error)
        audit_refusal(actor, f"Apply{sync.kind.api.kind}"[:64], sync.name[:255], error)
    return outcome_of(error)


def _wake_those_who_wait(sync: Pass) -> None:
    """Objects of the same project that were refused may have waited for this one: a folder comes in any order."""
    project = sync.place.binding.project.resource_id if sync.place.binding else ""
    waiting = DueRow.objects.filter(
        controller=CONTROLLER, project=project, last_outcome__in=["Transient", "Terminal"]
    )
    with sync.work.publishing():
        for key in waiting.values_list("key", flat=True)[:_MOST_WOKEN]:
            mark(*split_key(key))
