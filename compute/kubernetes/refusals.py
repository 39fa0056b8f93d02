"""Which field of an object a refusal is about, where the service names no field of its request."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from cycloud.core.aip.errors import CycloudError, FieldViolation
from cycloud.kubernetes.fields import object_fields

__all__ = ["ObjectFields"]


@dataclass(frozen=True)
class ObjectFields:
    """Where the object says what a service may complain of.

    - ``fields``: by fields of requests.
    - ``subjects``: by names of other resources, for refusals that name one in their metadata and no field.
    - ``reasons``: by reasons, for refusals that name neither.
    """

    fields: Mapping[str, str]
    subjects: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    @contextmanager
    def named(self, default: str = "") -> Iterator[None]:
        """Let a CycloudError from within name fields of the object, and ``default`` where nothing else tells."""
        try:
            with object_fields(self.fields):
                yield
        except CycloudError as error:
            path = self._about(error) or default
            if path and not error.violations:
                error.violations = (FieldViolation(path, error.message, error.reason),)
            raise

    def _about(self, error: CycloudError) -> str:
        named = [
            self.subjects[value] for value in error.metadata.values() if value in self.subjects
        ]
        return named[0] if named else self.reasons.get(error.reason, "")
