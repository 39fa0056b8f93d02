"""What is said of a write before the API server does it: the refusal that would come at intake, or a warning.

| what is written                     | said                                                                    |
|-------------------------------------|-------------------------------------------------------------------------|
| an object that is being deleted     | nothing: only finalizers can change                                     |
| what declares the same as before    | nothing                                                                 |
| what the API owns                   | warning: it is put back                                                 |
| what is refused for its fields      | denied; a warning if the write left them as they were                   |
| what names something not there yet  | warning: a folder is applied in any order                               |
| deletion of what the API owns       | warning: it is written again                                            |
| deletion of what is protected       | denied                                                                  |
| deletion of what is in use          | warning: our finalizer holds the object until it is not                 |

Nothing is kept of a check, so a dry run (``kubectl apply --dry-run=server``) is the same.
"""

from collections.abc import Callable
from typing import Final, Protocol

from cycloud.core.aip.errors import CycloudError
from cycloud.kubernetes.kinds import Json, Manifest, TakenIn
from cycloud.kubernetes.metadata import declared_annotations, declared_labels
from cycloud.kubernetes.namespaces import names_in_namespace
from cycloud.kubernetes.objects import is_being_deleted, is_declared
from cycloud.kubernetes.places import place_of
from cycloud.kubernetes.registry import taken_in_kinds
from cycloud.kubernetes.webhooks.denials import camel_case, denial_of, is_only_about, may_pass
from cycloud.kubernetes.webhooks.reviews import AdmissionRequest, Denial, Verdict

__all__ = ["Judge", "verdict_on"]

_PROTECTED: Final = "DELETION_PROTECTED"
# the API server cuts all of them once they are longer than 4096 together
_LONGEST_WARNING: Final = 1000


class Judge(Protocol):
    """Tells why an object would be refused (``cycloud.kubernetes.intake.dry_run``)."""

    def __call__(
        self, kind: TakenIn, name: str, observed: Json, *, deleting: bool = False
    ) -> CycloudError | None: ...


def verdict_on(request: AdmissionRequest, judge: Judge) -> Verdict:
    """Return whether a write is allowed, and what the person who writes should know.

    What this version knows nothing of is allowed: the rules were installed by a later one.
    """
    kind = _kind_of(request)
    if kind is None or not request.name:
        return Verdict()
    name = _resource_name(kind, request)
    if request.operation == "DELETE":
        return _on_deletion(kind, name, request, judge)
    if request.new is None or is_being_deleted(request.new):
        return Verdict()
    return _on_declaration(kind, name, request.new, request.old, judge)


def _kind_of(request: AdmissionRequest) -> TakenIn | None:
    wanted = (request.group, request.kind)
    kinds = taken_in_kinds()
    return next((kind for kind in kinds if (kind.api.group, kind.api.kind) == wanted), None)


def _resource_name(kind: TakenIn, request: AdmissionRequest) -> str:
    if not kind.api.namespaced:
        return f"{kind.collection}/{request.name}"
    return names_in_namespace(request.namespace, kind.collection, [request.name])[0]


def _on_declaration(kind: TakenIn, name: str, new: Json, old: Json | None, judge: Judge) -> Verdict:
    if old is not None and _declares_the_same(old, new):
        return Verdict()
    manifest = kind.manifests([name]).get(name)
    if manifest is not None and not manifest.managed_by:
        return _on_what_the_api_owns(kind, name, manifest, new)
    warnings = _unused(new, old)
    error = judge(kind, name, new)
    if error is None:
        return Verdict(warnings=warnings)
    same_spec = old is not None and old.get("spec") == new.get("spec")
    if may_pass(error) or (same_spec and is_only_about(error, "spec")):
        return Verdict(
            warnings=(*warnings, _warning(f"Not taken in as it is now: {error.message}"))
        )
    return Verdict(denial_of(error), warnings)


def _declares_the_same(old: Json, new: Json) -> bool:
    read: list[Callable[[Json], object]] = [
        lambda item: item.get("spec"),
        declared_labels,
        declared_annotations,
    ]
    return all(part(old) == part(new) for part in read)


def _on_what_the_api_owns(kind: TakenIn, name: str, manifest: Manifest, new: Json) -> Verdict:
    if is_declared(manifest, new):
        return Verdict()
    return Verdict(
        warnings=(
            _warning(
                f"{name} is managed by the API: what is written here is put back. Change it there, or ask a platform "
                f"operator: manage.py kubernetes adopt {kind.api.kind} {name}"
            ),
        )
    )


def _unused(new: Json, old: Json | None) -> tuple[str, ...]:
    """Return a warning for each field that is taken but does nothing yet."""
    value = (new.get("spec") or {}).get("rabbitMQConfig")
    if value is None or (
        old is not None and (old.get("spec") or {}).get("rabbitMQConfig") == value
    ):
        return ()
    return (
        _warning(
            "spec.rabbitMQConfig is not used yet: notifications are read as configured in Cycloud."
        ),
    )


def _on_deletion(kind: TakenIn, name: str, request: AdmissionRequest, judge: Judge) -> Verdict:
    old = request.old
    if old is None or is_being_deleted(old):
        return Verdict()
    manifest, place = kind.manifests([name]).get(name), place_of(kind, name)
    if manifest is None or place is None:
        return Verdict()
    if not manifest.managed_by:
        text = f"{name} is managed by the API, and its object is written again. Delete it there."
        return Verdict(warnings=(_warning(text),))
    if manifest.managed_by != place.path:
        return Verdict()
    error = judge(kind, name, old, deleting=True)
    if error is None:
        return Verdict()
    if error.reason == _PROTECTED:
        message = (
            f"{request.kind} {request.name} is protected from deletion. "
            "Set spec.deletionProtection to false first."
        )
        return Verdict(Denial(422, camel_case(_PROTECTED), message))
    return Verdict(warnings=(_warning(f"The deletion waits: {error.message}"),))


def _warning(text: str) -> str:
    # a warning travels in a header: with a line break in it, it would be dropped
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_WARNING else f"{line[: _LONGEST_WARNING - 3]}..."
