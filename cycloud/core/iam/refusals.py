"""Audit rows of writes that were refused.

The face-independent methods (``cycloud.core.aip.methods``) run every write in :func:`refusals_audited`, and so do the
frames of the services, for the pages that call them directly. The outermost one writes the row: there no transaction
is left that would take the row with it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from cycloud.core.aip.errors import CycloudError
from cycloud.core.iam.access import audit_refusal
from cycloud.core.iam.actor import Actor

__all__ = ["audit_page_refusal", "method_name", "refusals_audited"]

_LONGEST_NAME: Final = 255
_LONGEST_METHOD: Final = 64
_under_way: ContextVar[bool] = ContextVar("cycloud_write_under_way", default=False)


def method_name(kind: str, method: str) -> str:
    """Return the RPC's name (AIP-131 to 136), as the services give it to the audit log.

    ``method`` is create, update, delete or a custom method's name: ("Instance", "start") is StartInstance, and
    one that names what it is about stays: ("Instance", "attachVolume") is AttachVolume.
    """
    name = method[:1].upper() + method[1:]
    return name if method != method.lower() else name + kind


def audit_page_refusal(actor: Actor, method: str, resource_name: str, error: CycloudError) -> None:
    """Write the audit row of a page whose write was refused before a service began it, such as for a viewer."""
    if getattr(error, "is_audited", False):
        return
    audit_refusal(actor, method[:_LONGEST_METHOD], resource_name[:_LONGEST_NAME], error)


@contextmanager
def refusals_audited(
    actor: Actor, method: str, resource_name: str, *, dry_run: bool = False
) -> Iterator[None]:
    """Write an audit row if the body raises a CycloudError, and raise it on.

    Within another one it does nothing, and so for a dry run, which is no write. What a controller is refused is
    not logged: it comes back until it works, and its conditions tell.
    """
    if dry_run or _under_way.get() or actor.principal.startswith("system/"):
        yield
        return
    token = _under_way.set(True)
    try:
        yield
    except CycloudError as error:
        name = resource_name.replace("\0", "")[:_LONGEST_NAME]
        audit_refusal(actor, method[:_LONGEST_METHOD], name, error)
        # told once, wherever it is caught
        error.is_audited = True  # type: ignore[attr-defined]
        raise
    finally:
        _under_way.reset(token)
