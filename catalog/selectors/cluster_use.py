"""What of ours is, or may be, in a cluster."""

from typing import Protocol, runtime_checkable

from django.db.models import ForeignKey, Model, Q, QuerySet

from catalog.models import OpenStackCluster

__all__ = ["UsesCluster", "objects_in_cluster"]


@runtime_checkable
class UsesCluster(Protocol):
    """A model that says itself which of its rows mean something in a cluster.

    A model with foreign keys to OpenStackCluster needs this only where these do not tell all.
    """

    def in_cluster(self, cluster: OpenStackCluster) -> QuerySet[Model]:
        """Return the rows (a classmethod of the model)."""
        ...


def objects_in_cluster(cluster: OpenStackCluster) -> dict[str, int]:
    """Count, by kind, the rows of other apps that point to the cluster.

    Found through the foreign keys, so that an app that is added later cannot be forgotten.
    """
    links: dict[type[Model], Q] = {}
    for relation in OpenStackCluster._meta.get_fields(include_hidden=True):
        model = relation.related_model
        link = getattr(relation, "field", None)
        if not isinstance(link, ForeignKey) or not isinstance(model, type):
            continue
        if model._meta.app_label == OpenStackCluster._meta.app_label:
            continue
        links[model] = links.get(model, Q()) | Q(**{link.name: cluster})
    counts = {}
    for model, condition in links.items():
        rows = (
            model.in_cluster(cluster)
            if isinstance(model, UsesCluster)
            else model._default_manager.filter(condition)
        )
        counts[model.__name__] = rows.count()
    return counts
