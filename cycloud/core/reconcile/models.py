"""The durable queue: one row per (controller, key) that has something to be done."""

from django.db import models


class Lane(models.IntegerChoices):
    """What goes first: what a user asked for, then events, then the slow resync."""

    USER = 0
    EVENT = 1
    RESYNC = 2


class DueRow(models.Model):
    """``sequence`` grows with every request, so that one that comes during a pass is not lost.

    A row is free when ``lease_expires`` is null or past; ``lease_token`` guards every publish.
    ``due`` null: nothing to do until somebody asks again (a terminal outcome).
    """

    controller = models.CharField(max_length=64)
    key = models.CharField(max_length=255)
    queue = models.CharField(max_length=64)
    lane = models.SmallIntegerField(choices=Lane.choices, default=Lane.USER)
    project = models.CharField(max_length=64, blank=True)
    due = models.DateTimeField(null=True)
    sequence = models.BigIntegerField(default=1)
    attempts = models.PositiveIntegerField(default=0)
    requested = models.DateTimeField()
    lease_token = models.UUIDField(null=True, blank=True)
    lease_expires = models.DateTimeField(null=True, blank=True)
    last_outcome = models.CharField(max_length=32, blank=True)
    last_message = models.TextField(blank=True)

    class Meta:
        verbose_name = "queue entry"
        verbose_name_plural = "queue entries"
        constraints = [models.UniqueConstraint(fields=["controller", "key"], name="due_row_once")]
        indexes = [models.Index(fields=["queue", "due"], name="due_row_due")]

    def __str__(self) -> str:
        return f"{self.controller} {self.key}"
