"""``manage.py kubernetes release``: let the API declare a resource again."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any, Final

from cycloud.kubernetes.commands.subcommand import ACTOR, Out, Subcommand
from cycloud.kubernetes.handover import release

__all__ = ["SUBCOMMAND"]

_HELP: Final = (
    "Hand the declaration of a resource back to the API: its object only shows it from now on, and what is applied to "
    "it is put back. Needs no Kubernetes API, so it works when that is gone."
)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("kind", metavar="KIND", help="Instance, Volume, InstanceType, ...")
    parser.add_argument("name", metavar="NAME", help="projects/p/instances/web-1, ...")


def _run(options: Mapping[str, Any], out: Out) -> int:
    release(actor=ACTOR, kind=options["kind"], name=options["name"])
    out(f"{options['name']} is declared over the API from now on.")
    return 0


SUBCOMMAND: Final = Subcommand(_HELP, _run, _add_arguments)
