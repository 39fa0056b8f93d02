__all__ = ["DemoFailed"]


class DemoFailed(Exception):
    """Something that the story promises did not hold; the text says what, and what was seen."""
