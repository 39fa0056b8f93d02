"""Limits of projects. How much of a limit is used is never stored: it is counted (``registry``)."""

from django.db import models

from cycloud.core.quotas.registry import quota_choices


class ProjectQuota(models.Model):
    """A limit that operators set for one project, instead of the default.

    ``resource``: the id of what is limited, such as ``vcpus``.
    """

    project = models.ForeignKey("iam.Project", models.CASCADE, related_name="+")
    resource = models.CharField(max_length=32, choices=quota_choices)
    limit = models.PositiveIntegerField()

    class Meta:
        verbose_name = "quota"
        constraints = [
            models.UniqueConstraint(fields=["project", "resource"], name="project_quota_resource")
        ]

    def __str__(self) -> str:
        return f"projects/{self.project.resource_id}/quotas/{self.resource}"
