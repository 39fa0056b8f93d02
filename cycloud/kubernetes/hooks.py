"""Hooks around every call to the Kubernetes API, with (verb, path, is_write)."""

from cycloud.core.call_hooks import AfterCall, BeforeCall, CallHooks, HookPoint

__all__ = ["AfterCall", "BeforeCall", "CallHooks", "call_hooks", "current_hooks"]

_point = HookPoint("cycloud_kubernetes_call_hooks")
call_hooks = _point.use
current_hooks = _point.current
