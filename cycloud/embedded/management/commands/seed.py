"""``manage.py seed``: what `make up` seeds, without serving."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cycloud.embedded.lock import AlreadyRunning, only_one
from cycloud.embedded.options import DEFAULT_SIMULATOR_PORT, NotEmbedded, UpOptions, data_dir
from cycloud.embedded.seed import seed
from cycloud.embedded.terminal import Terminal
from cycloud.simulator.site import Site, StateFileError


class Command(BaseCommand):
    help = (
        "Make what is missing of the catalog for the simulated clouds, the demo project, its users and "
        "token. Harmless to repeat; `manage.py up` does it at every start."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--simulator-port", type=int, default=DEFAULT_SIMULATOR_PORT)

    def handle(self, *args: Any, **options: Any) -> None:
        terminal = Terminal(self.stdout)
        try:
            up = UpOptions(data_dir(), simulator_port=options["simulator_port"])
            # a running portal has the simulated clouds' file
            with only_one(up.lock_file):
                site = Site.load(up.simulator_state)
                if site.dirty:
                    site.save()
                result = seed(site, up.auth_url, up.token_file)
        except (AlreadyRunning, NotEmbedded, StateFileError) as error:
            raise CommandError(str(error)) from error
        for name in result.created:
            terminal.line(f"  made {name}")
        for name, password in result.passwords.items():
            terminal.line(f"  password of {name}, shown only this once: {password}")
        if not result.created:
            terminal.line("  everything is there already")
