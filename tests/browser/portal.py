"""A portal with a small world in it, for a browser: ``python -m tests.browser.portal PORT``.

It prints "ready" when it serves. Each line on its standard input is a change that a controller would make, as
JSON; it prints "applied" after each. Wants DJANGO_SETTINGS_MODULE and CYCLOUD_DATA_DIR in the environment.
"""

import asyncio
import json
import sys
import threading
from typing import Any

import django

django.setup()

import uvicorn  # noqa: E402
from django.core.management import call_command  # noqa: E402

from compute.models import Instance, Volume  # noqa: E402
from cycloud.asgi import application  # noqa: E402
from cycloud.core.aip.operations import end_operations  # noqa: E402
from cycloud.core.changes.record import record_changed  # noqa: E402
from cycloud.core.clock import now  # noqa: E402
from cycloud.core.conditions import READY, Condition, Status  # noqa: E402
from tests.browser.world import fill  # noqa: E402


def publish(change: dict[str, Any]) -> None:
    """Write a Ready condition as a controller does, and tell the open pages."""
    model = Volume if change.get("kind") == "Volume" else Instance
    row = model.objects.get(resource_id=change["name"])
    conditions = [
        Condition(
            READY,
            Status(change["status"]),
            change["reason"],
            change.get("message", ""),
            row.generation,
            terminal=change.get("terminal", False),
        )
    ]
    fields = {"state": change["state"]} if "state" in change else {}
    row.publish(conditions, now(), **fields)
    end_operations(row.uid, row.generation, row.condition_list())
    record_changed(kind=row.kind, uid=row.uid, project_id=row.project_id)


def read_changes() -> None:
    for line in sys.stdin:
        publish(json.loads(line))
        print("applied", flush=True)


class Server(uvicorn.Server):
    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        print("ready", flush=True)


def main() -> None:
    call_command("migrate", verbosity=0)
    fill()
    threading.Thread(target=read_changes, daemon=True).start()
    config = uvicorn.Config(
        application, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", lifespan="on"
    )
    asyncio.run(Server(config).serve())


if __name__ == "__main__":
    main()
