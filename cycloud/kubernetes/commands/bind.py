"""``manage.py kubernetes bind``: which namespace is a project's, and as whom objects there are taken in."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any, Final

from django.core.management.base import CommandError

from cycloud.kubernetes.accounts import make_account
from cycloud.kubernetes.client import client
from cycloud.kubernetes.commands.subcommand import ACTOR, Out, Subcommand, project_id_of
from cycloud.kubernetes.given_namespaces import bind

__all__ = ["SUBCOMMAND"]

_HELP: Final = (
    "Bind a project to a namespace and to a service account. Objects that are applied there are taken in as that "
    "account; without one they are refused. What is not given stays as it is."
)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", help="its id")
    parser.add_argument(
        "--namespace",
        metavar="NS",
        help="made or labelled for the project (default: the one it has)",
    )
    parser.add_argument(
        "--service-account",
        metavar="ID",
        help="of the project, with the role editor or admin there",
    )
    parser.add_argument(
        "--create",
        action="store_true",
        help="make the service account, with the role editor, if it is not there",
    )


def _run(options: Mapping[str, Any], out: Out) -> int:
    project_id = project_id_of(options["project"])
    if options["create"]:
        if not options["service_account"]:
            raise CommandError(
                "--create makes a service account: name it with --service-account ID."
            )
        make_account(
            actor=ACTOR, project_id=project_id, service_account_id=options["service_account"]
        )
    binding = bind(
        client(),
        actor=ACTOR,
        project_id=project_id,
        namespace=options["namespace"],
        service_account=options["service_account"],
    )
    out(f"The namespace of {binding.project.name} is {binding.namespace}.")
    if binding.service_account is None:
        out(
            "What is applied there is refused, until a service account is bound: --service-account ID"
        )
    else:
        out(f"What is applied there is taken in as {binding.service_account}.")
    return 0


SUBCOMMAND: Final = Subcommand(_HELP, _run, _add_arguments)
