"""Hooks around every call to a cluster, with (service, verb, is_write)."""

from cycloud.core.call_hooks import CallHooks, HookPoint

__all__ = ["CallHooks", "call_hooks", "current_hooks"]

_point = HookPoint("cycloud_call_hooks")
call_hooks = _point.use
current_hooks = _point.current
