from django.db import models

from cycloud.core.resources.models import ProjectResource


class Subnet(ProjectResource):
    """A range of IPv4 addresses of a VPC, in one zone.

    The network address, the broadcast address and ``gateway_ip`` are never given out.
    """

    kind = "Subnet"
    collection = "subnets"

    vpc = models.ForeignKey(
        "networking.VPC", models.PROTECT, related_name="subnets", verbose_name="VPC"
    )
    availability_zone = models.ForeignKey(
        "catalog.AvailabilityZone", models.PROTECT, related_name="+"
    )
    cidr = models.CharField("CIDR", max_length=18)
    gateway_ip = models.GenericIPAddressField("gateway", protocol="IPv4")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "resource_id"], name="subnet_id")]
        indexes = [models.Index(fields=["project", "-create_time"], name="subnet_list")]
