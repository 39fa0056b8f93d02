"""What is around every call: limits, hooks, counts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from cycloud.core.circuits import FAILURES_TO_OPEN
from cycloud.kubernetes.config import ApiAccess
from cycloud.kubernetes.faults import FaultKind
from cycloud.kubernetes.hooks import call_hooks
from tests.support.kubernetes.bed import BODY, WIDGET, WIDGETS, Bed, recorded
from tests.support.kubernetes.https import Answer, serving_https


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[Bed]:
    with serving_https(tmp_path) as server:
        bed = Bed(server, ApiAccess(str(server.kubeconfig())))
        yield bed
        bed.client.close()


# -- limits


def test_the_circuit_opens_and_nothing_is_sent_then(bed: Bed) -> None:
    bed.answers(Answer(503, b"down"))
    for _ in range(FAILURES_TO_OPEN):
        assert bed.fault().status == 503
    fault = bed.fault()
    assert (fault.kind, fault.status) == (FaultKind.UNREACHABLE, 0)
    assert fault.retry_after is not None
    assert len(bed.server.asked) == FAILURES_TO_OPEN
    bed.answers(Answer(body=BODY))
    bed.time += fault.retry_after
    assert bed.client.get(WIDGET, "team", "a") == BODY
    assert bed.client.get(WIDGET, "team", "a") == BODY


@pytest.mark.parametrize("name", ["500-webhook-down.json", "500-conversion-down.json"])
def test_a_broken_webhook_of_one_kind_does_not_stop_the_others(bed: Bed, name: str) -> None:
    bed.answers(recorded(name))
    for _ in range(FAILURES_TO_OPEN * 2):
        assert bed.fault().status == 500
    assert len(bed.server.asked) == FAILURES_TO_OPEN * 2


def test_calls_wait_for_the_rate_limit_and_are_refused_beyond_it(bed: Bed) -> None:
    bed.calls_per_second = 2.0
    for _ in range(5):
        bed.client.get(WIDGET, "team", "a")
    assert bed.slept == [0.5]
    bed.client._transport._limits.longest_wait_seconds = 0.1
    fault = bed.fault()
    assert fault.kind is FaultKind.RATE_LIMITED
    assert fault.retry_after == pytest.approx(0.5)
    assert len(bed.server.asked) == 5


def test_the_server_s_own_limit_does_not_open_the_circuit(bed: Bed) -> None:
    bed.answers(Answer(429, b"slow down", {"Retry-After": "3"}))
    for _ in range(FAILURES_TO_OPEN * 2):
        assert bed.fault().retry_after == 3.0


# -- hooks and counts


def test_hooks_see_verb_path_and_whether_it_writes(bed: Bed) -> None:
    seen: list[tuple[str, str, str, bool]] = []
    with call_hooks(
        before=lambda *call: seen.append(("before", *call)),
        after=lambda *call: seen.append(("after", *call)),
    ):
        bed.client.get(WIDGET, "team", "a")
        bed.client.apply_status(WIDGET, BODY, manager="m")
        bed.client.raw("PUT", "/x", {})
    path = f"{WIDGETS}/a"
    assert seen == [
        ("before", "get", path, False),
        ("after", "get", path, False),
        ("before", "apply_status", f"{path}/status", True),
        ("after", "apply_status", f"{path}/status", True),
        ("before", "put", "/x", True),
        ("after", "put", "/x", True),
    ]


def test_a_hook_that_raises_keeps_the_call_from_being_made(bed: Bed) -> None:
    def lost(verb: str, path: str, is_write: bool) -> None:
        raise LookupError(verb)

    with call_hooks(before=lost), pytest.raises(LookupError):
        bed.client.get(WIDGET, "team", "a")
    assert bed.server.asked == []


def test_a_trial_call_that_is_not_made_leaves_its_place_to_another(bed: Bed) -> None:
    def lost(verb: str, path: str, is_write: bool) -> None:
        raise LookupError(verb)

    bed.answers(Answer(503, b"down"))
    for _ in range(FAILURES_TO_OPEN):
        bed.fault()
    bed.answers(Answer(body=BODY))
    bed.time += bed.fault().retry_after or 0.0
    with call_hooks(before=lost), pytest.raises(LookupError):
        bed.client.get(WIDGET, "team", "a")
    assert bed.client.get(WIDGET, "team", "a") == BODY


def test_after_runs_for_an_error_and_not_without_an_answer(bed: Bed) -> None:
    seen: list[str] = []
    bed.answers(recorded("409-stale.json"), Answer(cut=True))
    with call_hooks(after=lambda verb, *_: seen.append(verb)):
        assert bed.fault().kind is FaultKind.CONFLICT
        assert bed.fault().kind is FaultKind.UNREACHABLE
    assert seen == ["get"]


def test_calls_are_counted_by_their_status(bed: Bed) -> None:
    def count(status: str) -> float:
        labels = {"cluster_uid": "", "service": "kubernetes", "status": status}
        return REGISTRY.get_sample_value("cycloud_provider_calls_total", labels) or 0.0

    before = count("200"), count("409"), count("unreachable")
    bed.answers(Answer(), recorded("409-stale.json"), Answer(cut=True))
    bed.client.get(WIDGET, "team", "a")
    bed.fault()
    bed.fault()
    after = count("200"), count("409"), count("unreachable")
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1, 1]
