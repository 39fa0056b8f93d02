"""``manage.py kubernetes webhook``: the process that the API server asks."""

from collections.abc import Mapping
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

from cycloud.kubernetes.commands.stopping import run_until_stopped, stop_signals
from cycloud.kubernetes.commands.subcommand import Out, Subcommand, no_arguments
from cycloud.kubernetes.webhooks.server import CannotListen, WebhookServer, options_of_settings
from cycloud.kubernetes.webhooks.tls import UnusableFiles

__all__ = ["SUBCOMMAND"]

_HELP: Final = (
    "Serve the admission and conversion webhooks over TLS until SIGTERM or SIGINT. Any number may run behind one "
    "address."
)


def _run(options: Mapping[str, Any], out: Out) -> int:
    given = options_of_settings()
    try:
        server = WebhookServer(given)
    except (CannotListen, UnusableFiles) as error:
        raise ImproperlyConfigured(str(error)) from None
    with stop_signals() as stop:
        server.start()
        out(
            f"Webhooks are served at https://{given.host}:{server.port}. Stop it with Ctrl-C or SIGTERM."
        )
        if not run_until_stopped(stop, lambda: server.running):
            raise CommandError(
                "The webhooks' server ended by itself; the log tells why. Start it again."
            )
        out("Stopping.")
        server.stop()
    return 0


SUBCOMMAND: Final = Subcommand(_HELP, _run, no_arguments)
