"""What is known of a reason: when it is given, what to do, and how it reads in Japanese."""

from dataclasses import dataclass

from cycloud.core.aip.errors import Code

__all__ = ["ConditionReason", "ErrorReason", "FieldReason"]


@dataclass(frozen=True)
class ErrorReason:
    """A reason of google.rpc.ErrorInfo.

    ``japanese`` may hold ``{resource}`` and other keys of the error's metadata; a test sees to it that every
    place that raises the reason gives them.
    """

    reason: str
    codes: tuple[Code, ...]
    when: str
    action: str
    japanese: str


@dataclass(frozen=True)
class FieldReason:
    """A reason of one field violation (google.rpc.BadRequest). ``japanese`` follows the field's path."""

    reason: str
    when: str
    japanese: str


@dataclass(frozen=True)
class ConditionReason:
    """A reason of a condition. ``condition`` is its type and status, such as ``Ready=False``.

    An operation that ends with it has the same words as an ErrorInfo reason: MoveBlocked is MOVE_BLOCKED.
    """

    reason: str
    condition: str
    when: str
    action: str
    japanese: str
