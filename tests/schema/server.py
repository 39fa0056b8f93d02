"""A portal with the seeded world in it: ``python -m tests.schema.server PORT``.

It prints what there is as one line of JSON when it serves. Wants DJANGO_SETTINGS_MODULE and CYCLOUD_DATA_DIR in the
environment. It ends when its standard input does.
"""

import asyncio
import dataclasses
import json
import sys
import threading
from typing import Any

import django

django.setup()

import uvicorn  # noqa: E402
from django.core.management import call_command  # noqa: E402

from cycloud.asgi import application  # noqa: E402
from tests.schema.world import fill_world  # noqa: E402


class Server(uvicorn.Server):
    """Says so when it serves."""

    ready: str

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        print(self.ready, flush=True)


def main() -> None:
    call_command("migrate", verbosity=0)
    config = uvicorn.Config(
        application, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical", lifespan="on"
    )
    server = Server(config)
    server.ready = json.dumps(dataclasses.asdict(fill_world()))

    def end_with_parent() -> None:
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=end_with_parent, daemon=True).start()
    asyncio.run(server.serve())


if __name__ == "__main__":
    main()
