"""How objects name the cluster that something is in."""

from cycloud.kubernetes.crds.fields import CATALOG_ID, Field, own, proto

__all__ = ["cluster_field", "cluster_of"]

_PARTS = (
    own(
        "kind",
        {"type": "string", "enum": ["OpenStackCluster"]},
        "The kind of cluster.",
        required=True,
    ),
    own("name", {"type": "string", **CATALOG_ID}, "The name of the cluster.", required=True),
)


def cluster_of(message: str) -> Field:
    """Return ``computeCluster``, which stands for the field ``cluster`` of the message."""
    return proto(
        message,
        "cluster",
        {"type": "object"},
        name="computeCluster",
        description="The cluster that it is in.",
        fields=_PARTS,
    )


def cluster_field(name: str, description: str, *, required: bool = False) -> Field:
    """Return a reference to a cluster that no message of the public contract has."""
    return own(name, {"type": "object"}, description, required=required, fields=_PARTS)
