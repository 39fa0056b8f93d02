"""``manage.py kubernetes resync``: have every resource and every object looked at again."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any, Final

from django.core.management.base import CommandError

from cycloud.core.reconcile.queue import Lane
from cycloud.kubernetes.client import client
from cycloud.kubernetes.commands.subcommand import Out, Subcommand
from cycloud.kubernetes.kinds import Kind
from cycloud.kubernetes.registry import all_kinds
from cycloud.kubernetes.watcher.marking import full_names, mark_all

__all__ = ["SUBCOMMAND"]

_HELP: Final = (
    "Ask for a sync of every resource and of every object in the cluster. Passes that find nothing to do write "
    "nothing; changes of users go first. For after a restore of the database or of etcd."
)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "kinds", nargs="*", metavar="KIND", help="only these, such as Instance (default: all)"
    )


def _run(options: Mapping[str, Any], out: Out) -> int:
    kinds = _kinds(options["kinds"])
    # the rows need no API server to be asked for
    names = {kind.api.kind: set(kind.names()) for kind in kinds}
    for kind in kinds:
        rows = sorted(names[kind.api.kind])
        out(f"{kind.api.kind}: {mark_all(kind, rows, Lane.RESYNC)} resources are in the queue.")
    for kind in kinds:
        count = _mark_objects(kind, names[kind.api.kind])
        out(f"{kind.api.kind}: {count} more objects are in the queue.")
    return 0


def _kinds(words: list[str]) -> list[Kind]:
    known = {kind.api.kind: kind for kind in all_kinds()}
    unknown = [word for word in words if word not in known]
    if unknown:
        raise CommandError(
            f"There is no kind {unknown[0]!r}. Those that are synced: {', '.join(known)}."
        )
    return [known[word] for word in words] or list(known.values())


def _mark_objects(kind: Kind, names: set[str]) -> int:
    """Mark the objects that stand for none of the rows that are marked already."""
    marked = 0
    for page in client().pages(kind.api):
        in_namespaces: dict[str, list[str]] = {}
        for item in page.items:
            metadata = item["metadata"]
            in_namespaces.setdefault(metadata.get("namespace", ""), []).append(metadata["name"])
        for namespace, objects in in_namespaces.items():
            found = [
                name
                for name in full_names(kind.collection, namespace, objects)
                if name not in names
            ]
            marked += mark_all(kind, found, Lane.RESYNC)
    return marked


SUBCOMMAND: Final = Subcommand(_HELP, _run, _add_arguments)
