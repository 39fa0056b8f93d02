"""What a project has declared of instances and volumes, counted for its quotas.

Stopped instances count, as they may start at any time; one whose type changes counts with the larger of both types
until its next start. Both stay until their row is gone: the bytes of a deleted volume are storage until they are
purged. As a volume it counts no more, so bringing it back needs room for one.
"""

from django.db.models import Count, Q, Sum

from catalog.selectors.catalog import list_instance_types
from compute.models import Instance, Volume
from cycloud.core.iam.models import Project
from cycloud.core.quotas.quota import QuotaResource
from cycloud.core.quotas.registry import UsageCounter

__all__ = ["INSTANCES", "VOLUMES", "size_of"]


def count_instances(project: Project) -> dict[str, int]:
    """Return instances, vcpus and memory (MiB) of a project.

    The rows are grouped by their types within an index, so a large project costs little more than a small one.
    """
    groups = list(
        Instance.objects.filter(project=project)
        .values_list("instance_type", "run_instance_type")
        .annotate(number=Count("*"))
        .order_by()
    )
    types = {kind for *kinds, _ in groups for kind in kinds}
    sizes = {
        pk: (vcpus, memory)
        for pk, vcpus, memory in list_instance_types()
        .filter(pk__in=types)
        .order_by()
        .values_list("pk", "vcpus", "memory_mib")
    }
    usage = {"instances": 0, "vcpus": 0, "memory": 0}
    for declared, running, number in groups:
        usage["instances"] += number
        for resource_id, amount in _larger(sizes[declared], sizes[running]).items():
            usage[resource_id] += number * amount
    return usage


def size_of(instance: Instance) -> dict[str, int]:
    """Return the vcpus and memory (MiB) that count for an instance, as it is declared now."""
    declared, running = instance.instance_type, instance.run_instance_type
    return _larger((declared.vcpus, declared.memory_mib), (running.vcpus, running.memory_mib))


def _larger(one: tuple[int, int], other: tuple[int, int]) -> dict[str, int]:
    return {"vcpus": max(one[0], other[0]), "memory": max(one[1], other[1])}


def count_volumes(project: Project) -> dict[str, int]:
    """Return volumes and storage (GiB) of a project, in one query."""
    found = Volume.objects.filter(project=project).aggregate(
        volumes=Count("size_gib", filter=Q(delete_time=None)), storage=Sum("size_gib", default=0)
    )
    return {"volumes": found["volumes"], "storage": found["storage"]}


INSTANCES = UsageCounter(
    (
        QuotaResource("instances", "1", "instances", "instance"),
        QuotaResource("vcpus", "1", "vCPUs", "vCPU"),
        QuotaResource("memory", "MiB", "memory"),
    ),
    count_instances,
)
VOLUMES = UsageCounter(
    (
        QuotaResource("volumes", "1", "volumes", "volume"),
        QuotaResource("storage", "GiB", "storage"),
    ),
    count_volumes,
)
