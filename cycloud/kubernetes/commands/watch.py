"""``manage.py kubernetes watch``: the process that hears of what is applied."""

from collections.abc import Mapping
from typing import Any, Final

from django.core.management.base import CommandError

from cycloud.kubernetes.client import client
from cycloud.kubernetes.commands.stopping import run_until_stopped, stop_signals
from cycloud.kubernetes.commands.subcommand import Out, Subcommand, no_arguments
from cycloud.kubernetes.watcher.watcher import Watcher

__all__ = ["SUBCOMMAND"]

_HELP: Final = (
    "Watch all kinds until SIGTERM or SIGINT. Several may run: one holds the Lease and watches all, the others stand "
    "by."
)


def _run(options: Mapping[str, Any], out: Out) -> int:
    watcher = Watcher()
    with stop_signals() as stop:
        watcher.start()
        out(f"Watching {client().host}, if no other process does. Stop it with Ctrl-C or SIGTERM.")
        if not run_until_stopped(stop, lambda: watcher.running):
            raise CommandError("The watcher ended by itself; the log tells why. Start it again.")
        out("Stopping.")
        return 0 if watcher.stop() else 1


SUBCOMMAND: Final = Subcommand(_HELP, _run, no_arguments)
