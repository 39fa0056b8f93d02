"""Hooks around calls belong to the context that set them."""

import threading

import pytest

from cycloud.kubernetes.hooks import call_hooks, current_hooks


def test_without_hooks_nothing_happens() -> None:
    current_hooks().before("get", "/x", False)
    current_hooks().after("get", "/x", False)


def test_an_inner_block_keeps_the_hook_that_it_does_not_set() -> None:
    seen: list[str] = []

    def note(word: str) -> None:
        seen.append(word)

    with call_hooks(before=lambda *_: note("outer before"), after=lambda *_: note("outer after")):
        with call_hooks(before=lambda *_: note("inner before")):
            current_hooks().before("apply", "/x", True)
            current_hooks().after("apply", "/x", True)
        current_hooks().before("apply", "/x", True)
    current_hooks().before("apply", "/x", True)
    assert seen == ["inner before", "outer after", "outer before"]


def test_hooks_end_with_an_error_of_the_block() -> None:
    def refuse(verb: str, path: str, is_write: bool) -> None:
        raise RuntimeError(verb)

    with pytest.raises(RuntimeError, match="apply"), call_hooks(before=refuse):
        current_hooks().before("apply", "/x", True)
    current_hooks().before("apply", "/x", True)


def test_another_thread_has_no_hooks_of_ours() -> None:
    seen: list[str] = []
    with call_hooks(before=lambda verb, *_: seen.append(verb)):
        thread = threading.Thread(target=lambda: current_hooks().before("get", "/x", False))
        thread.start()
        thread.join()
    assert seen == []
