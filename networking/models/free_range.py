from django.db import models


class FreeRange(models.Model):
    """Addresses ``first``..``last`` (inclusive, as numbers) of a subnet that nobody has.

    The ranges of a subnet never touch or overlap, so they are as few as they can be; the index of the
    unique constraint finds the one that matters in O(log n) (docs/decisions/0002-address-allocation.md).
    """

    subnet = models.ForeignKey(
        "networking.Subnet", models.CASCADE, related_name="free_ranges", db_index=False
    )
    first = models.BigIntegerField()
    last = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["subnet", "first"], name="free_range_first"),
            models.CheckConstraint(
                condition=models.Q(first__lte=models.F("last")), name="free_range_order"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first}..{self.last} of {self.subnet}"
