"""A change of the catalog may let resources go on that wait for one."""

from cycloud.core.reconcile.engine import wake_parked
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome

__all__ = ["CatalogController"]


class CatalogController:
    """Key: kind and uid of what was changed. All that waits for a person is looked at again."""

    name = "catalog"

    def reconcile(self, work: Work) -> Outcome:
        with work.publishing():
            wake_parked()
        return Done()
