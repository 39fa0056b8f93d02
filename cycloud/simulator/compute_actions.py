"""Nova: delete a server, act on it, and what became of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cycloud.simulator.calls import Answer, Call, Json, api_error, invalid
from cycloud.simulator.compute import (
    API,
    conflict,
    find_server,
    placed_server,
    require_admin,
    routes,
)
from cycloud.simulator.compute_servers import record
from cycloud.simulator.compute_views import action_view
from cycloud.simulator.guests import slowness
from cycloud.simulator.models.compute import Server


@routes("DELETE", f"{API}/servers/{{id}}")
def delete(call: Call) -> Answer:
    """204; ignored while the server is being deleted already."""
    server = find_server(call)
    if server.task_state == "deleting":
        return Answer(204)
    server.task_state = "deleting"
    request = record(call, server, "delete")
    call.site.later(
        call.cloud, "deleting", "server.delete", server.id, request, delay=slowness(server)
    )
    return Answer(204)


# -- actions

Action = Callable[[Call, Server, Json], Answer]


@routes("POST", f"{API}/servers/{{id}}/action")
def action(call: Call) -> Answer:
    """One action by name; 409 if the state does not allow it."""
    if call.params["id"] not in call.cloud.servers:
        text = f"Instance {call.params['id']} has no mapping to a cell."
        if call.params["id"] in call.cloud.deleted_servers:
            text = f"Instance {call.params['id']} could not be found."
        raise api_error(404, text)
    server = placed_server(call)
    try:
        ((name, args),) = call.data().items()
    except ValueError:
        raise api_error(400, "Malformed request body") from None
    if name not in ACTIONS:
        raise api_error(400, f"There is no such action: {name}")
    return ACTIONS[name](call, server, args if isinstance(args, dict) else {})


def _require(server: Server, name: str, states: Sequence[str]) -> None:
    if server.vm_state not in states:
        raise conflict(server, name, "vm_state")
    if server.task_state is not None:
        raise conflict(server, name, "task_state")


def _begin(call: Call, server: Server, name: str, task: str, work: str) -> Answer:
    server.task_state = task
    request = record(call, server, name)
    state = "rebooting" if task.startswith("reboot") else task
    call.site.later(call.cloud, state, work, server.id, request, delay=slowness(server))
    return Answer(202)


def _stop(call: Call, server: Server, args: Json) -> Answer:
    _require(server, "stop", ("active", "error"))
    if server.host is None:
        raise api_error(409, f"Instance {server.id} is not ready")
    return _begin(call, server, "stop", "powering-off", "server.stop")


def _start(call: Call, server: Server, args: Json) -> Answer:
    _require(server, "start", ("stopped",))
    return _begin(call, server, "start", "powering-on", "server.start")


def _reboot(call: Call, server: Server, args: Json) -> Answer:
    kind = str(args.get("type", "")).upper()
    if kind not in ("SOFT", "HARD"):
        known = ["HARD", "Hard", "hard", "SOFT", "Soft", "soft"]
        raise invalid("type", args.get("type"), f"{args.get('type')!r} is not one of {known}")
    _require(server, "reboot", ("active",) if kind == "SOFT" else ("active", "stopped", "error"))
    task = "rebooting" if kind == "SOFT" else "rebooting_hard"
    return _begin(call, server, "reboot", task, "server.reboot")


def _reset_state(call: Call, server: Server, args: Json) -> Answer:
    require_admin(call, "os_compute_api:os-admin-actions:reset_state")
    if args.get("state") not in ("active", "error"):
        why = f"{args.get('state')!r} is not one of ['active', 'error']"
        raise invalid("state", args.get("state"), why)
    server.vm_state, server.task_state = args["state"], None
    return Answer(202)


def _lock(call: Call, server: Server, args: Json) -> Answer:
    server.locked = True
    return Answer(202)


def _unlock(call: Call, server: Server, args: Json) -> Answer:
    server.locked = False
    return Answer(202)


def _force_delete(call: Call, server: Server, args: Json) -> Answer:
    call.params["id"] = server.id
    return Answer(202, headers=delete(call).headers)


ACTIONS: dict[str, Action] = {
    "os-stop": _stop,
    "os-start": _start,
    "reboot": _reboot,
    "os-resetState": _reset_state,
    "lock": _lock,
    "unlock": _unlock,
    "forceDelete": _force_delete,
}


def _acted_on(call: Call) -> Server:
    """A server, also one that is gone: its actions stay to be read (2.21 and later)."""
    gone = call.cloud.deleted_servers.get(call.params["id"])
    if gone is not None and call.sees(gone.project_id) and call.version >= (2, 21):
        return gone
    return find_server(call)


@routes("GET", f"{API}/servers/{{id}}/os-instance-actions")
def instance_actions(call: Call) -> Answer:
    """What was asked of a server and whether it failed, newest first."""
    server = _acted_on(call)
    listed = [action_view(server, r) for r in reversed(server.actions)]
    return Answer(200, {"instanceActions": listed})


@routes("GET", f"{API}/servers/{{id}}/os-instance-actions/{{request}}")
def instance_action(call: Call) -> Answer:
    """One action with its only event."""
    server = _acted_on(call)
    for found in server.actions:
        if found.request_id == call.params["request"]:
            result = "Error" if found.message else "Success" if found.finished else None
            body = action_view(server, found)
            body["events"] = [
                {
                    "event": f"compute_{found.action}",
                    "start_time": body["start_time"],
                    "finish_time": body["updated_at"] if found.finished else None,
                    "result": result,
                    "traceback": None,
                    "host": server.host,
                    "details": None,
                }
            ]
            return Answer(200, {"instanceAction": body})
    raise api_error(404, f"Action {call.params['request']} not found")
