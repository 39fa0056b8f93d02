"""Reasons of the catalog. Only platform operators meet them."""

from cycloud.core.aip.errors import Code
from cycloud.core.aip.reasons.reason import ErrorReason

__all__ = ["REASONS"]

REASONS = (
    ErrorReason(
        "CLUSTER_STATE",
        (Code.FAILED_PRECONDITION,),
        "A cluster cannot go from its present state to the wanted one.",
        "Take one of the steps that the message names.",
        "{resource} はその状態に変更できません。",
    ),
    ErrorReason(
        "CLUSTER_NOT_EMPTY",
        (Code.FAILED_PRECONDITION,),
        "A cluster that still holds something is to be retired.",
        "Drain it until it is empty.",
        "{resource} にまだリソースが残っています。空になるまで退避してください。",
    ),
    ErrorReason(
        "KEY_MISSING",
        (Code.FAILED_PRECONDITION,),
        "A stored password cannot be read with any of the configured keys.",
        "Add the key that it was stored with, or enter the password again.",
        "{resource} のパスワードを復号できる鍵がありません。",
    ),
)
