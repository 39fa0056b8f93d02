"""``manage.py kubernetes unbind``: take nothing in any more, and give a namespace back."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any, Final

from cycloud.kubernetes.client import client
from cycloud.kubernetes.commands.subcommand import ACTOR, Out, Subcommand, project_id_of
from cycloud.kubernetes.given_namespaces import unbind

__all__ = ["SUBCOMMAND"]

_HELP: Final = (
    "Take nothing in any more from a project's namespace. If it is a given one, it is given back, and the project's "
    "resources are shown in the one that Cycloud makes."
)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", help="its id")


def _run(options: Mapping[str, Any], out: Out) -> int:
    binding = unbind(client(), actor=ACTOR, project_id=project_id_of(options["project"]))
    out(
        f"The namespace of {binding.project.name} is {binding.namespace}; what is applied there is refused."
    )
    return 0


SUBCOMMAND: Final = Subcommand(_HELP, _run, _add_arguments)
