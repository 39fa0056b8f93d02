"""Which object may declare a resource: the one that it was taken from, and no other."""

from cycloud.core.aip.errors import AlreadyExists
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.resources.managers import Managed, check_manager
from cycloud.kubernetes.kinds import Intake, Kind

__all__ = ["refuse_unless_managed"]


def refuse_unless_managed(kind: Kind, resource: Managed, intake: Intake) -> None:
    """Raise AlreadyExists for a resource of the API, FailedPrecondition for one that was taken from another object.

    To hand a resource over is a verb, never what happens to whoever applies an object of its name.
    """
    if resource.managed_by:
        check_manager(resource, WriteOptions(manager=intake.manager))
        return
    raise AlreadyExists(
        f"{resource.name} exists already and is managed by the API, so no object can declare it. Have a platform "
        f"operator hand it over (manage.py kubernetes adopt {kind.api.kind} {resource.name}), or give the object "
        "another name.",
        resource=resource.name,
    )
