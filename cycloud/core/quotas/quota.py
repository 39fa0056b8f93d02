"""What a quota is: a limit, how much of it is used, and whether that is to be warned of. Pure."""

from dataclasses import dataclass

from cycloud.core.conditions import Condition, Status

__all__ = ["BELOW_WARNING_THRESHOLD", "UNLIMITED", "Quota", "QuotaResource"]

# the most that the API's int32 holds; nothing is counted against it
UNLIMITED = 2**31 - 1
BELOW_WARNING_THRESHOLD = "BelowWarningThreshold"


@dataclass(frozen=True)
class QuotaResource:
    """One thing that projects have a limited amount of.

    ``resource_id``: its id in ``projects/p/quotas/ID``; ``unit``: what limit and usage count, "1" for things;
    ``label``: what it is called in a sentence; ``one``: what one thing of it is called.
    """

    resource_id: str
    unit: str
    label: str
    one: str = ""

    @property
    def amount_label(self) -> str:
        """What is limited, with its unit: "vCPUs", "storage (GiB)"."""
        return self.label if self.unit == "1" else f"{self.label} ({self.unit})"

    def amount(self, number: int) -> str:
        """Return an amount as people read it: "3 instances", "20 GiB of storage"."""
        if self.unit == "1":
            return f"{number} {self.one if number == 1 else self.label}"
        return f"{number} {self.unit} of {self.label}"


@dataclass(frozen=True)
class Quota:
    """How much of one thing a project may have, and has."""

    project_id: str
    resource: QuotaResource
    limit: int
    usage: int
    warning_percent: int = 80

    @property
    def name(self) -> str:
        return f"projects/{self.project_id}/quotas/{self.resource.resource_id}"

    @property
    def percent(self) -> int:
        """How much of the limit is used, 0 to 100, rounded down; 100 where the limit is 0."""
        if self.usage >= self.limit:
            return 100
        return self.usage * 100 // self.limit

    @property
    def condition(self) -> Condition:
        """The warning: BelowWarningThreshold is False from the threshold on."""
        used = f"{self.usage} of {self.resource.amount(self.limit)}"
        if self.limit == UNLIMITED:
            used = f"{self.resource.amount(self.usage)}, without a limit"
        kind = BELOW_WARNING_THRESHOLD
        if self.usage >= self.limit:
            message = f"{used}: there is no room left."
            return Condition(kind, Status.FALSE, "LimitReached", message)
        if self.usage * 100 >= self.limit * self.warning_percent:
            message = f"{used}: {self.warning_percent} % or more are in use."
            return Condition(kind, Status.FALSE, "NearLimit", message)
        return Condition(kind, Status.TRUE, "BelowThreshold", f"{used} are in use.")
