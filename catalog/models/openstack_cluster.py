from django.db import models

from catalog.models.resource import CatalogResource


class ClusterState(models.TextChoices):
    """What may be placed there.

    Active: all. Cordoned: nothing new, what is there stays. Draining: as Cordoned, and it is to become
    empty. Retired: never called again.
    """

    ACTIVE = "Active"
    CORDONED = "Cordoned"
    DRAINING = "Draining"
    RETIRED = "Retired"


class OpenStackCluster(CatalogResource):
    """One OpenStack cloud: one hardware generation in one zone. Operators only.

    Credentials come from ``cloud_name`` (an entry of the clouds.yaml that OS_CLIENT_CONFIG_FILE
    names) or from ``auth_url``, ``username``, ``project_name`` and the password, which is stored
    encrypted (MultiFernet with CYCLOUD_FIELD_KEYS) and never shown again.
    """

    kind = "OpenStackCluster"
    collection = "openStackClusters"
    controller_name = models.SlugField(max_length=63)
    availability_zone = models.ForeignKey(
        "catalog.AvailabilityZone", models.PROTECT, related_name="clusters"
    )
    state = models.CharField(
        max_length=16, choices=ClusterState.choices, default=ClusterState.ACTIVE
    )
    cloud_name = models.CharField(max_length=255, blank=True)
    auth_url = models.CharField("auth URL", max_length=200, blank=True)
    username = models.CharField(max_length=255, blank=True)
    project_name = models.CharField(max_length=255, blank=True)
    user_domain_name = models.CharField(max_length=255, default="Default")
    project_domain_name = models.CharField(max_length=255, default="Default")
    region_name = models.CharField(max_length=255, blank=True)
    encrypted_password = models.TextField(blank=True, editable=False)
    ca_certificate = models.TextField("CA certificate", blank=True)
    # upper bounds for old clouds; empty: what Cycloud asks for
    compute_microversion = models.CharField(max_length=8, blank=True)
    block_storage_microversion = models.CharField(max_length=8, blank=True)
    server_availability_zone = models.CharField(max_length=255, blank=True)
    # whether the controllers make networks and subnets there themselves
    manages_networks = models.BooleanField(default=False)

    class Meta:
        ordering = ["resource_id"]
        verbose_name = "OpenStack cluster"
