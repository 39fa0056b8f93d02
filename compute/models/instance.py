from django.db import models

from cycloud.core.resources.models import ProjectResource


class DesiredState(models.TextChoices):
    RUNNING = "RUNNING"
    STOPPED = "STOPPED"


class Instance(ProjectResource):
    """A virtual machine as a user declares it.

    ``instance_type`` is what was asked for last. ``run_instance_type`` is what the present run was
    started with: create, start and restart copy the one to the other, so a change of the type of a
    running instance touches nothing until then. ``run`` counts these starts.
    """

    kind = "Instance"
    collection = "instances"

    instance_type = models.ForeignKey("catalog.InstanceType", models.PROTECT, related_name="+")
    run_instance_type = models.ForeignKey("catalog.InstanceType", models.PROTECT, related_name="+")
    run = models.BigIntegerField(default=1)
    availability_zone = models.ForeignKey(
        "catalog.AvailabilityZone", models.PROTECT, related_name="+"
    )
    desired_state = models.CharField(
        max_length=8, choices=DesiredState.choices, default=DesiredState.RUNNING
    )
    ssh_public_keys = models.JSONField(default=list, blank=True)
    user_data = models.TextField(blank=True)
    deletion_protection = models.BooleanField(default=False)
    # status: PENDING RUNNING STOPPING STOPPED STARTING DELETING ERROR (AIP-216), for people
    state = models.CharField(max_length=16, default="PENDING", editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "resource_id"], name="instance_id")
        ]
        indexes = [
            models.Index(fields=["project", "-create_time"], name="instance_list"),
            # what quotas are counted by
            models.Index(
                fields=["project", "instance_type", "run_instance_type"], name="instance_quota"
            ),
        ]


class VolumeAttachment(models.Model):
    """A volume of an instance; ``device_index`` 0 is the root volume. A volume has one at most."""

    instance = models.ForeignKey(
        "compute.Instance", models.CASCADE, related_name="volume_attachments"
    )
    volume = models.OneToOneField("compute.Volume", models.PROTECT, related_name="attachment")
    device_index = models.PositiveIntegerField()

    class Meta:
        ordering = ["device_index"]
        constraints = [
            models.UniqueConstraint(
                fields=["instance", "device_index"], name="volume_attachment_index"
            )
        ]

    def __str__(self) -> str:
        return f"{self.volume} at {self.device_index} of {self.instance}"


class NetworkAttachment(models.Model):
    """A network interface of an instance, in the order in which the guest sees them."""

    instance = models.ForeignKey(
        "compute.Instance", models.CASCADE, related_name="network_attachments"
    )
    network_interface = models.OneToOneField(
        "networking.NetworkInterface", models.PROTECT, related_name="attachment"
    )
    device_index = models.PositiveIntegerField()

    class Meta:
        ordering = ["device_index"]
        constraints = [
            models.UniqueConstraint(
                fields=["instance", "device_index"], name="network_attachment_index"
            )
        ]

    def __str__(self) -> str:
        return f"{self.network_interface} at {self.device_index} of {self.instance}"
