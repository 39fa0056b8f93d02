import pytest

from cycloud.core.quotas.quota import UNLIMITED, Quota, QuotaResource

VCPUS = QuotaResource("vcpus", "1", "vCPUs", "vCPU")
STORAGE = QuotaResource("storage", "GiB", "storage")


@pytest.mark.parametrize(
    ("limit", "usage", "status", "reason", "percent"),
    [
        (10, 0, "True", "BelowThreshold", 0),
        (10, 7, "True", "BelowThreshold", 70),
        (1000, 799, "True", "BelowThreshold", 79),
        (10, 8, "False", "NearLimit", 80),
        (10, 9, "False", "NearLimit", 90),
        (10, 10, "False", "LimitReached", 100),
        # a limit that was set below what is there
        (10, 25, "False", "LimitReached", 100),
        (0, 0, "False", "LimitReached", 100),
        (1, 0, "True", "BelowThreshold", 0),
        (UNLIMITED, 5_000_000, "True", "BelowThreshold", 0),
    ],
)
def test_the_warning_begins_at_80_percent(
    limit: int, usage: int, status: str, reason: str, percent: int
) -> None:
    quota = Quota("p", VCPUS, limit, usage)
    condition = quota.condition
    assert (condition.type, condition.status.value) == ("BelowWarningThreshold", status)
    assert condition.reason == reason
    assert quota.percent == percent


def test_the_threshold_may_be_set() -> None:
    assert Quota("p", VCPUS, 10, 6, warning_percent=60).condition.reason == "NearLimit"


def test_the_message_says_how_much_of_what() -> None:
    assert Quota("p", VCPUS, 10, 3).condition.message == "3 of 10 vCPUs are in use."
    assert "90 of 100 GiB of storage" in Quota("p", STORAGE, 100, 90).condition.message
    assert "without a limit" in Quota("p", STORAGE, UNLIMITED, 90).condition.message
    assert VCPUS.amount(1) == "1 vCPU"
