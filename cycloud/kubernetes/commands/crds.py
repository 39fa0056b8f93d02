"""``manage.py kubernetes crds``: the definitions as files."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from cycloud.kubernetes import crds
from cycloud.kubernetes.commands.subcommand import Out, Subcommand

__all__ = ["SUBCOMMAND"]

_HELP: Final = (
    "Write the CustomResourceDefinitions, as the protos and kinds give them, into a folder."
)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(settings.BASE_DIR) / "deploy" / "kubernetes" / "crds",
        metavar="FOLDER",
        help="default: deploy/kubernetes/crds",
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit status 1 if a file is stale"
    )


def _run(options: Mapping[str, Any], out: Out) -> int:
    folder: Path = options["folder"]
    if not options["check"]:
        crds.write(folder)
        out(f"{len(crds.definitions())} definitions are in {folder}.")
        return 0
    stale = crds.stale(folder)
    for name in stale:
        out(f"{folder / name} is not what the protos and kinds give. Run: make crds")
    return 1 if stale else 0


SUBCOMMAND: Final = Subcommand(_HELP, _run, _add_arguments)
