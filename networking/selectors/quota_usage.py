"""What a project has declared of addresses, counted for its quotas."""

from cycloud.core.iam.models import Project
from cycloud.core.quotas.quota import QuotaResource
from cycloud.core.quotas.registry import UsageCounter
from networking.models import NetworkInterface

__all__ = ["ADDRESSES"]


def count_addresses(project: Project) -> dict[str, int]:
    """Return the addresses of a project: one for each network interface, until its row is gone."""
    return {"addresses": NetworkInterface.objects.filter(project=project).count()}


ADDRESSES = UsageCounter(
    (QuotaResource("addresses", "1", "addresses", "address"),), count_addresses
)
