"""``manage.py kubernetes adopt``: let the object of a resource declare it from now on."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any, Final

from cycloud.kubernetes.commands.subcommand import ACTOR, Out, Subcommand
from cycloud.kubernetes.handover import adopt

__all__ = ["SUBCOMMAND"]

_HELP: Final = (
    "Hand the declaration of a resource over to its object in Kubernetes: it is changed there from now on, and the API "
    "refuses to change it."
)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("kind", metavar="KIND", help="Instance, Volume, InstanceType, ...")
    parser.add_argument(
        "name", metavar="NAME", help="projects/p/instances/web-1, instanceTypes/m8a.medium, ..."
    )


def _run(options: Mapping[str, Any], out: Out) -> int:
    path = adopt(actor=ACTOR, kind=options["kind"], name=options["name"])
    out(f"{options['name']} is declared by {path} from now on.")
    return 0


SUBCOMMAND: Final = Subcommand(_HELP, _run, _add_arguments)
