"""Reasons of watches."""

from cycloud.core.aip.errors import Code
from cycloud.core.aip.reasons.reason import ErrorReason

__all__ = ["REASONS"]

_GO_ON = "Watch again from the resource_version of the last event."

REASONS = (
    ErrorReason(
        "RESOURCE_VERSION_TOO_OLD",
        (Code.OUT_OF_RANGE,),
        "The changes after this resource_version are no longer kept (HTTP 410).",
        "List again, and watch from the resource_version of that answer.",
        "resource_version {resource_version} 以降の変更はもう保持されていません。一覧を取り直してください。",
    ),
    ErrorReason(
        "RESOURCE_VERSION_TOO_NEW",
        (Code.OUT_OF_RANGE,),
        "The resource_version is not reached yet (HTTP 410).",
        "List again, and watch from the resource_version of that answer.",
        "resource_version {resource_version} にはまだ達していません。一覧を取り直してください。",
    ),
    ErrorReason(
        "WATCH_TOO_SLOW",
        (Code.ABORTED,),
        "The watch was ended, since its reader fell too far behind.",
        f"{_GO_ON} Read faster.",
        "読み取りが遅すぎるため監視を終了しました。最後のイベントから再開してください。",
    ),
    ErrorReason(
        "WATCH_RIGHTS_CHANGED",
        (Code.PERMISSION_DENIED,),
        "The watcher's rights in the watched projects have changed.",
        "Watch again to see those that you may see.",
        "監視中のプロジェクトに対する権限が変わりました。監視をやり直してください。",
    ),
    ErrorReason(
        "WATCH_INTERRUPTED",
        (Code.UNAVAILABLE,),
        "The portal is being stopped, or was cut off from the feed of changes.",
        _GO_ON,
        "監視が中断されました。最後のイベントから再開してください。",
    ),
    ErrorReason(
        "TOO_MANY_WATCHES",
        (Code.RESOURCE_EXHAUSTED,),
        "This server serves as many watches as it can.",
        "Try again after the time in RetryInfo.",
        "監視の数が上限に達しています。しばらくしてからやり直してください。",
    ),
    ErrorReason(
        "TOO_MANY_SUBSCRIPTIONS",
        (Code.INVALID_ARGUMENT,),
        "A page of the console asked to follow too many things.",
        "Close it, and open fewer at once.",
        "監視中のリソースが多すぎます。",
    ),
)
