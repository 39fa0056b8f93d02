from django.db import models

from cycloud.core.resources.models import ProjectResource


class VPC(ProjectResource):
    """A private network of a project: the space in which subnets must not overlap."""

    kind = "Vpc"
    collection = "vpcs"

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "resource_id"], name="vpc_id")]
        verbose_name = "VPC"
