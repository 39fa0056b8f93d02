"""The ASGI application: pages and REST over HTTP, live updates over WebSockets."""

import asyncio
import os
import signal
import threading
from types import FrameType

from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, Scope
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cycloud.settings.embedded")
# models must be loaded before the routing imports them
django_application = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402

from cycloud.console.routing import websocket_urlpatterns  # noqa: E402
from cycloud.core.aip.memory import settle_memory  # noqa: E402
from cycloud.core.changes.hub import close_hub  # noqa: E402

__all__ = ["application", "lifespan"]


async def lifespan(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """End the watches when the web server is to stop: it would wait for them."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            # in another thread there are no signals: who runs the server there ends the watches (``make up``)
            if threading.current_thread() is threading.main_thread():
                for number in (signal.SIGTERM, signal.SIGINT):
                    _end_watches_at(number, asyncio.get_running_loop())
            settle_memory()
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            close_hub()
            await send({"type": "lifespan.shutdown.complete"})
            return


def _end_watches_at(number: signal.Signals, loop: asyncio.AbstractEventLoop) -> None:
    """End the watches at a signal, besides what the web server does then."""
    before = signal.getsignal(number)

    def handle(given: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(close_hub)
        if callable(before):
            before(given, frame)

    signal.signal(number, handle)


application = ProtocolTypeRouter(
    {
        "http": django_application,
        "websocket": AllowedHostsOriginValidator(
            AuthMiddlewareStack(URLRouter(websocket_urlpatterns))
        ),
        "lifespan": lifespan,
    }
)
