"""Taking in what people and GitOps tools declare: through the services, as the principal bound to the namespace."""

from collections.abc import Callable
from contextlib import suppress

from django.db import transaction

from cycloud.core.aip.errors import Code, CycloudError
from cycloud.core.conditions import Condition, Status
from cycloud.core.iam.actor import Actor, system_actor
from cycloud.core.iam.authentication import actor_for_service_account
from cycloud.core.reconcile.outcomes import Outcome, Terminal, Transient
from cycloud.core.reconcile.queue import in_order
from cycloud.kubernetes.kinds import Intake, Json, TakenIn
from cycloud.kubernetes.places import Place, place_of

__all__ = ["NamespaceNotBound", "dry_run", "intake_for", "outcome_of", "refusal_of"]

# what waits for somebody to write something else; all other refusals may pass by themselves
_FINAL = {Code.INVALID_ARGUMENT, Code.PERMISSION_DENIED, Code.UNIMPLEMENTED}
_MAY_COME = "REFERENCE_NOT_FOUND"


class NamespaceNotBound(CycloudError):
    """Nobody takes in what is applied in this namespace."""

    code = Code.PERMISSION_DENIED
    reason = "NAMESPACE_NOT_BOUND"


def intake_for(place: Place) -> Intake:
    """Return on whose behalf an object is taken in.

    Raises NamespaceNotBound for a namespace that has no service account, Unauthenticated for a disabled one. What is
    outside namespaces is the catalog: who may write it there is an operator, by Kubernetes' own roles.
    """
    if not place.api.namespaced:
        return Intake(system_actor("kubernetes"), manager=place.path)
    binding = place.binding
    if binding is None or binding.service_account is None:
        raise NamespaceNotBound(
            f"Nothing is taken in from the namespace {place.namespace}: it is bound to no service account of a "
            "project. Ask your platform team to bind it (manage.py kubernetes bind).",
            metadata={"namespace": place.namespace},
        )
    actor: Actor = actor_for_service_account(binding.service_account)
    return Intake(actor, manager=place.path)


class _Undo(Exception):
    """Takes a dry run out of its transaction."""


def dry_run(
    kind: TakenIn, name: str, observed: Json, *, deleting: bool = False
) -> CycloudError | None:
    """Return why an object would be refused, or None. Nothing is kept, and no audit row is left."""
    place = place_of(kind, name)
    if place is None:
        return None
    return _undone(lambda: _run(kind, place, name, observed, deleting=deleting))


def _run(kind: TakenIn, place: Place, name: str, observed: Json, *, deleting: bool) -> None:
    intake = intake_for(place)
    if deleting:
        kind.remove(intake, name)
    else:
        kind.take(intake, name, observed)


def _undone(run: Callable[[], None]) -> CycloudError | None:
    with suppress(_Undo):
        try:
            with transaction.atomic(), in_order():
                run()
                raise _Undo
        except CycloudError as error:
            return error
    return None


def refusal_of(error: CycloudError) -> Condition:
    """Return the condition that tells a person why an object was not taken in, and which field is wrong."""
    # what is wrong with a field says more than that one is
    reasons = [item.reason for item in error.violations if item.reason not in ("", "INVALID")]
    word = reasons[0] if error.code is Code.INVALID_ARGUMENT and reasons else error.reason
    reason = "".join(part.capitalize() for part in word.split("_"))
    message = error.message
    fields = [violation.field for violation in error.violations if violation.field]
    if fields and not message.startswith(tuple(fields)):
        message = f"{', '.join(fields)}: {message}"
    return Condition("Accepted", Status.FALSE, reason or "Refused", message)


def outcome_of(error: CycloudError) -> Outcome:
    """Return how a pass ends that was refused."""
    reasons = {error.reason, *(violation.reason for violation in error.violations)}
    if error.code in _FINAL and _MAY_COME not in reasons:
        return Terminal(error.message)
    return Transient(error.message)
