"""Long-running operations (AIP-151) and remembered request ids (AIP-155)."""

import uuid

from django.db import models


class Operation(models.Model):
    """What a create, update, delete or verb set going; done when Ready of that generation is settled.

    ``error`` is code, message and reason of a google.rpc.Status. Kept 30 days after it ended. One that a user
    deleted is only hidden until then, so that its request id still gives it (AIP-155).
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey("iam.Project", models.CASCADE, related_name="+")
    verb = models.CharField(max_length=32)
    target_kind = models.CharField(max_length=32)
    target_uid = models.UUIDField(db_index=True)
    target_name = models.CharField(max_length=255)
    generation = models.BigIntegerField()
    done = models.BooleanField(default=False)
    error = models.JSONField(null=True, blank=True)
    progress_message = models.CharField(max_length=500, blank=True)
    # the step that is being done, counted from 1, of so many; 0: not known
    progress_step = models.PositiveSmallIntegerField(default=0)
    progress_total = models.PositiveSmallIntegerField(default=0)
    create_time = models.DateTimeField()
    end_time = models.DateTimeField(null=True, blank=True)
    delete_time = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["target_uid", "done"], name="operation_target"),
            models.Index(fields=["project", "-create_time"], name="operation_project"),
            models.Index(fields=["end_time"], name="operation_end"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.target_name}"

    @property
    def name(self) -> str:
        """``projects/p/operations/<uid>``."""
        return f"projects/{self.project.resource_id}/operations/{self.uid}"


class RequestRecord(models.Model):
    """A request id that was used in a project: same id and same body give the earlier operation."""

    project = models.ForeignKey("iam.Project", models.CASCADE, related_name="+")
    principal = models.CharField(max_length=255)
    request_id = models.UUIDField()
    body_digest = models.CharField(max_length=64)
    operation = models.ForeignKey(Operation, models.CASCADE, related_name="+")
    create_time = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "principal", "request_id"], name="request_id_once"
            )
        ]

    def __str__(self) -> str:
        return str(self.request_id)
