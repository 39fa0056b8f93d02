import gc

from cycloud.core.aip.memory import settle_memory


def test_what_was_made_at_the_start_is_left_alone_by_the_collector() -> None:
    try:
        settle_memory()
        assert gc.get_freeze_count() > 10_000
        assert gc.isenabled()
    finally:
        gc.unfreeze()
