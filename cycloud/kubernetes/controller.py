"""The sync of one object with one row, in both directions. Level-triggered, and the same for all kinds.

| row     | object              | what is done                                                           |
|---------|---------------------|------------------------------------------------------------------------|
| none    | none                | nothing                                                                |
| none    | stands for a row    | the resource is gone: the object is deleted                            |
| none    | stands for none     | a person declared something: it is taken in, or refused                |
| there   | none                | written, never taken for a deletion: the database is the truth         |
| there   | of another row      | deleted, and then written anew                                         |
| API's   | there               | declaration and status written where they differ                       |
| managed | there               | declaration taken in where it differs, status written                  |
| managed | being deleted       | the resource is deleted, by its rules; our finalizer holds till it is  |
"""

import logging

from cycloud.core.conditions import Condition, Status
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome, Terminal, Transient, Wait
from cycloud.kubernetes.client import client
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.hooks import call_hooks
from cycloud.kubernetes.kinds import Json, TakenIn
from cycloud.kubernetes.marks import CONTROLLER, mark
from cycloud.kubernetes.namespaces import project_of
from cycloud.kubernetes.objects import (
    ACCEPTED,
    has_our_finalizer,
    is_being_deleted,
    row_uid_of,
)
from cycloud.kubernetes.passes import Pass
from cycloud.kubernetes.places import place_of
from cycloud.kubernetes.registry import kind_named, split_key
from cycloud.kubernetes.taking import delete_resource, take_in, take_new

__all__ = ["KubernetesController"]

logger = logging.getLogger(__name__)

# somebody else's finalizer holds the object; its end is told by the watch, this is for a word that got lost
_GOING_SECONDS = 10.0
_RIGHT_SECONDS = 30.0


class KubernetesController:
    """Key: ``Instance:projects/p/instances/web-1``, or ``namespaces/...`` where that is bound to nobody."""

    name = CONTROLLER

    def reconcile(self, work: Work) -> Outcome:
        kind_name, name = split_key(work.key)
        kind = kind_named(kind_name)
        place = place_of(kind, name)
        if place is None:
            return Done()
        if place.binding is None and place.namespace:
            project = project_of(place.namespace)
            if project is not None:
                # bound since this was asked for
                with work.publishing():
                    mark(kind_name, f"projects/{project}/{kind.collection}/{place.name}")
                return Done()

        def before(verb: str, path: str, is_write: bool) -> None:
            work.hold()

        with call_hooks(before=before):
            try:
                return _sync(Pass(work, client(), kind, place, name))
            except KubernetesFault as fault:
                return _outcome_of(fault)


def _sync(sync: Pass) -> Outcome:
    # the object first: a row that changes between the two looks has asked for another pass
    observed = sync.look()
    manifest = sync.manifest()
    if observed is None:
        return Done() if manifest is None else sync.write_anew(manifest)
    if manifest is None:
        return _without_row(sync, observed)
    if row_uid_of(observed) not in ("", str(manifest.uid)):
        return _of_another_row(sync, observed)
    if manifest.managed_by == sync.place.path and isinstance(sync.kind, TakenIn):
        if is_being_deleted(observed):
            return delete_resource(sync, sync.kind, manifest, observed)
        return take_in(sync, sync.kind, manifest, observed)
    if is_being_deleted(observed):
        sync.drop_finalizer(observed)
        return Wait(_GOING_SECONDS, "the object is being deleted, and is written anew then")
    return sync.put(manifest, observed)


def _without_row(sync: Pass, observed: Json) -> Outcome:
    if is_being_deleted(observed):
        sync.drop_finalizer(observed)
        return Done()
    if row_uid_of(observed):
        sync.delete(observed)
        return Wait(0.0, "deleted") if has_our_finalizer(observed) else Done()
    if isinstance(sync.kind, TakenIn):
        return take_new(sync, sync.kind, observed)
    message = (
        f"A {sync.kind.api.kind} is made over the API, and only shown here. Delete this object."
    )
    refusal = Condition(ACCEPTED.type, Status.FALSE, "ReadOnlyKind", message)
    sync.write_status(None, observed, refusal)
    return Terminal(message)


def _of_another_row(sync: Pass, observed: Json) -> Outcome:
    """The object stands for a resource that is gone; one of the same name is there."""
    if is_being_deleted(observed):
        sync.drop_finalizer(observed)
    else:
        sync.delete(observed)
    return Wait(0.0 if has_our_finalizer(observed) else 1.0, "an object of an earlier resource")


def _outcome_of(fault: KubernetesFault) -> Outcome:
    match fault.kind:
        case FaultKind.INVALID:
            # a definition that is older than we are, or a rule of somebody's own
            logger.error("Kubernetes refused an object: %s", fault)
            return Terminal(str(fault))
        case FaultKind.FORBIDDEN | FaultKind.UNAUTHENTICATED | FaultKind.NO_SUCH_KIND:
            return Transient(str(fault), retry_after=_RIGHT_SECONDS)
        case _:
            return Transient(str(fault), retry_after=fault.retry_after)
