from django.db import models

from cycloud.core.resources.models import ProjectResource


class NetworkInterface(ProjectResource):
    """One IP and one MAC address, owned by a project; outlives the instances that use it."""

    kind = "NetworkInterface"
    collection = "networkInterfaces"

    subnet = models.ForeignKey("networking.Subnet", models.PROTECT, related_name="interfaces")
    ip_address = models.GenericIPAddressField("IP address", protocol="IPv4")
    # the same address as a number: unique per subnet, and what allocation works on
    ip_number = models.BigIntegerField()
    mac_address = models.CharField("MAC address", max_length=17, unique=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "resource_id"], name="network_interface_id"),
            models.UniqueConstraint(fields=["subnet", "ip_number"], name="network_interface_ip"),
        ]
        indexes = [models.Index(fields=["project", "-create_time"], name="network_interface_list")]
