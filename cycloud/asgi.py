"""The ASGI application: pages and REST over HTTP, live updates over WebSockets."""

import asyncio
import os

from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, Scope
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cycloud.settings.embedded")
# models must be loaded before the routing imports them
django_application = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402

from cycloud.console.routing import websocket_urlpatterns  # noqa: E402
from cycloud.core.changes.hints import use_loop  # noqa: E402

__all__ = ["application", "lifespan"]


async def lifespan(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Lend the web server's event loop to the hints, from start-up to shut-down.

    The channel layer in memory belongs to that loop; worker threads hand their hints over to it.
    """
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            use_loop(asyncio.get_running_loop())
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            use_loop(None)
            await send({"type": "lifespan.shutdown.complete"})
            return


application = ProtocolTypeRouter(
    {
        "http": django_application,
        "websocket": AllowedHostsOriginValidator(
            AuthMiddlewareStack(URLRouter(websocket_urlpatterns))
        ),
        "lifespan": lifespan,
    }
)
