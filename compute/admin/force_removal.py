"""The button "Force removal" of compute's rows."""

from typing import Any

from compute.services.forced_removal import force_removal, is_held
from cycloud.core.admin.force_removal import ForceRemoval
from cycloud.core.iam.actor import Actor

__all__ = ["ForceComputeRemoval"]


class ForceComputeRemoval(ForceRemoval):
    """For the admin of a kind that ``compute.services.forced_removal`` knows."""

    def is_held(self, row: Any) -> bool:
        return is_held(type(row).__name__, row.uid)

    def force(self, actor: Actor, row: Any, reason: str) -> tuple[str, ...]:
        return force_removal(actor=actor, kind=type(row).__name__, uid=row.uid, reason=reason)
