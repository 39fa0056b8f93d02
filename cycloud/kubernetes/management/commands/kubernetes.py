"""``manage.py kubernetes``: everything that an operator does about Kubernetes (docs/kubernetes.md)."""

from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError

from cycloud.core.aip.errors import CycloudError
from cycloud.kubernetes.commands import (
    adopt,
    bind,
    bindings,
    check,
    crds,
    install,
    release,
    resync,
    unbind,
    watch,
    webhook,
)
from cycloud.kubernetes.commands.subcommand import Subcommand, explain
from cycloud.kubernetes.faults import KubernetesFault
from cycloud.kubernetes.install.applying import NotEstablished

_SUBCOMMANDS: Final[dict[str, Subcommand]] = {
    "install": install.SUBCOMMAND,
    "check": check.SUBCOMMAND,
    "bind": bind.SUBCOMMAND,
    "unbind": unbind.SUBCOMMAND,
    "bindings": bindings.SUBCOMMAND,
    "adopt": adopt.SUBCOMMAND,
    "release": release.SUBCOMMAND,
    "resync": resync.SUBCOMMAND,
    "watch": watch.SUBCOMMAND,
    "webhook": webhook.SUBCOMMAND,
    "crds": crds.SUBCOMMAND,
}


class Command(BaseCommand):
    help = "Work with a Kubernetes API that shows every resource as a custom resource, and takes resources in."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        subparsers = parser.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")
        for name, subcommand in _SUBCOMMANDS.items():
            added = subparsers.add_parser(
                name, help=subcommand.help.partition(".")[0], description=subcommand.help
            )
            subcommand.add_arguments(added)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            status = _SUBCOMMANDS[options["subcommand"]].run(options, self.stdout.write)
        except CycloudError as error:
            raise CommandError(error.message) from error
        except KubernetesFault as fault:
            raise CommandError(explain(fault)) from fault
        except (ImproperlyConfigured, NotEstablished) as error:
            raise CommandError(str(error)) from error
        except OperationalError as error:
            text = str(error).partition("\n")[0]
            raise CommandError(f"The database cannot be used: {text}. See DATABASE_URL.") from error
        if status:
            # what is wrong was said already
            raise SystemExit(status)
