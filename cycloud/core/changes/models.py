"""The change feed: what became of which resource, in the order of the commits."""

from django.db import models

__all__ = ["Change", "ChangeType", "FeedPosition"]


class ChangeType(models.TextChoices):
    """What became of the resource."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


class Change(models.Model):
    """One resource as it was when a transaction committed. Never changed; trimmed when it is old.

    ``body`` is the resource as the API shows it to a member of the project; for DELETED as it was last. ``project``
    is empty for what is outside projects.
    """

    version = models.BigIntegerField(primary_key=True)
    kind = models.CharField(max_length=32)
    uid = models.UUIDField()
    # without a constraint: checking one locks the project's row, and this table is written behind the feed's lock
    project = models.ForeignKey(
        "iam.Project",
        models.DO_NOTHING,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    name = models.CharField(max_length=255)
    type = models.CharField(max_length=8, choices=ChangeType.choices)
    body = models.JSONField()
    time = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["project", "kind", "version"], name="change_of_project"),
            models.Index(fields=["uid", "version"], name="change_of_resource"),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.type} {self.name}"


class FeedPosition(models.Model):
    """The one row whose lock gives out versions.

    ``version``: that of the last change. ``trimmed``: changes up to this version are no longer kept.
    """

    ID = 1

    version = models.BigIntegerField(default=0)
    trimmed = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(id=1), name="feed_position_one_row")
        ]

    def __str__(self) -> str:
        return f"{self.trimmed}..{self.version}"
