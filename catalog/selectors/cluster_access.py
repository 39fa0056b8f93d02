"""How to reach a cluster. For controllers only: this is where the password is decrypted."""

from django.conf import settings

from catalog.domain.sealed_text import open_text
from catalog.models import OpenStackCluster
from cycloud.openstack.access import ClusterAccess

__all__ = ["cluster_access"]


def cluster_access(cluster: OpenStackCluster) -> ClusterAccess:
    """Return the cluster's address and credentials.

    Raises ``catalog.domain.sealed_text.CannotOpen`` where no key of CYCLOUD_FIELD_KEYS fits.
    """
    return ClusterAccess(
        key=str(cluster.uid),
        revision=cluster.revision,
        cloud_name=cluster.cloud_name,
        auth_url=cluster.auth_url,
        username=cluster.username,
        password=open_text(settings.CYCLOUD_FIELD_KEYS, cluster.encrypted_password),
        project_name=cluster.project_name,
        user_domain_name=cluster.user_domain_name,
        project_domain_name=cluster.project_domain_name,
        region_name=cluster.region_name,
        ca_certificate=cluster.ca_certificate,
        compute_microversion=cluster.compute_microversion,
        block_storage_microversion=cluster.block_storage_microversion,
    )
