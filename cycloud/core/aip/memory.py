"""What a serving process tells Python's garbage collector at its start."""

import gc

__all__ = ["settle_memory"]


def settle_memory() -> None:
    """Take what was made while starting (modules, models, descriptors) out of the collector's sight.

    It lives as long as the process. A full collection went through all of it in the middle of some call, which
    took over 100 ms then (``make bench ONLY=faces``).
    """
    gc.collect()
    gc.freeze()
