import threading
from collections.abc import Callable

import pytest

from cycloud.openstack.hooks import call_hooks, current_hooks
from cycloud.openstack.together import together

WAIT = 10.0


class NotSeen(Exception):
    """A look that failed."""


def failing() -> int:
    raise NotSeen


def test_answers_come_in_the_order_of_the_looks() -> None:
    looks: list[Callable[[], int]] = [lambda number=number: number for number in range(9)]  # type: ignore[misc]

    assert together(looks, at_once=3) == list(range(9))
    assert together(looks, at_once=1) == list(range(9))
    assert together([], at_once=3) == []


def test_looks_run_at_once() -> None:
    barrier = threading.Barrier(3)

    def look() -> str:
        barrier.wait(WAIT)
        return threading.current_thread().name

    assert len(set(together([look] * 3, at_once=2))) == 3


def test_without_a_pool_they_run_one_after_the_other_in_the_callers_thread() -> None:
    names = together([lambda: threading.current_thread().name] * 3, at_once=1)

    assert set(names) == {threading.current_thread().name}


def test_a_look_in_a_thread_has_the_hooks_of_its_pass() -> None:
    seen: list[str] = []
    barrier = threading.Barrier(2)

    def look() -> None:
        barrier.wait(WAIT)
        current_hooks().before("nova", "find_servers", False)

    with call_hooks(before=lambda service, verb, is_write: seen.append(verb)):
        together([look, look], at_once=2)

    assert seen == ["find_servers", "find_servers"]


@pytest.mark.parametrize("place", [0, 1])
def test_what_a_look_raises_reaches_the_caller_when_no_other_look_runs_any_more(place: int) -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        may_end.wait(WAIT)
        ended.set()
        return 1

    def failing_later() -> int:
        begun.wait(WAIT)
        # not before the pass has seen the failure could it go on too early
        threading.Timer(0.05, may_end.set).start()
        raise NotSeen

    looks = [slow, slow]
    looks.insert(place, failing_later)
    with pytest.raises(NotSeen):
        together(looks[:2], at_once=2)

    assert ended.is_set()


def test_a_busy_pool_delays_nobody() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def hog() -> None:
        begun.set()
        may_end.wait(WAIT)

    others = threading.Thread(target=together, args=([hog, hog],), kwargs={"at_once": 2})
    others.start()
    begun.wait(WAIT)
    try:
        assert together([lambda: 1, lambda: 2, lambda: 3], at_once=2) == [1, 2, 3]
        nested = together([lambda: together([lambda: 1, lambda: 2], at_once=2)] * 2, at_once=2)
        assert nested == [[1, 2], [1, 2]]
    finally:
        may_end.set()
        others.join(WAIT)


def test_a_thread_is_left_as_it_was_found_also_after_a_failure() -> None:
    left: list[str] = []
    barrier = threading.Barrier(2)

    def look() -> int:
        barrier.wait(WAIT)
        return failing() if threading.current_thread() is not caller else 1

    caller = threading.current_thread()
    with pytest.raises(NotSeen):
        together(
            [look, look], at_once=2, leaving=lambda: left.append(threading.current_thread().name)
        )

    assert [name.partition("_")[0] for name in left] == ["cycloud-look"]
