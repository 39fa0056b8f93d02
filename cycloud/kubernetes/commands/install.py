"""``manage.py kubernetes install``: definitions, roles and webhook, applied or printed."""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import yaml

from cycloud.kubernetes.client import client
from cycloud.kubernetes.commands.subcommand import Out, Subcommand
from cycloud.kubernetes.install.applying import Change, install
from cycloud.kubernetes.install.objects import Installed, to_install
from cycloud.kubernetes.install.rbac import ACCOUNT
from cycloud.kubernetes.install.webhook import address_of_settings
from cycloud.kubernetes.places import system_namespace

__all__ = ["SUBCOMMAND", "print_yaml"]

_HELP: Final = (
    "Install what Cycloud needs in the cluster: the definitions of its kinds, its namespace and service account, "
    "roles, and the webhooks if CYCLOUD_KUBERNETES_WEBHOOK_URL is set. Run it again after every upgrade; what is as it "
    "is to be is left alone."
)


class _Dumper(yaml.SafeDumper):
    """Without anchors: what is used twice is written twice."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="have the server judge everything, and change nothing",
    )
    parser.add_argument(
        "--output",
        choices=["yaml"],
        help="print all objects, for GitOps; no server is asked",
    )


def _run(options: Mapping[str, Any], out: Out) -> int:
    objects = to_install(system_namespace(), address_of_settings())
    if options["output"] == "yaml":
        print_yaml(objects, out)
        return 0
    dry_run = bool(options["dry_run"])
    kubernetes = client()
    out(f"{'Nothing is kept at' if dry_run else 'Installing into'} {kubernetes.host}")
    counts: Counter[Change] = Counter()
    for changed in install(kubernetes, objects, dry_run=dry_run):
        counts[changed.change] += 1
        out(f"{changed.change:<10} {changed.kind} {changed.name}")
    told = ", ".join(f"{count} {change}" for change, count in sorted(counts.items()))
    out(f"{'Would be' if dry_run else 'Done'}: {told}.")
    if not dry_run:
        out(
            f"Workers run as the service account {system_namespace()}/{ACCOUNT}. Next: manage.py kubernetes check"
        )
    return 0


def print_yaml(objects: Installed, out: Out) -> None:
    """Print all objects as YAML documents."""
    text = yaml.dump_all(
        objects.all,
        Dumper=_Dumper,
        explicit_start=True,
        sort_keys=False,
        allow_unicode=True,
        width=120,
    )
    out(text.rstrip("\n"))


SUBCOMMAND: Final = Subcommand(_HELP, _run, _add_arguments)
