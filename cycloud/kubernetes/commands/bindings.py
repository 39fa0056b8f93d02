"""``manage.py kubernetes bindings``: all bindings."""

from collections.abc import Mapping
from typing import Any, Final

from cycloud.kubernetes.commands.subcommand import Out, Subcommand, no_arguments
from cycloud.kubernetes.models import NamespaceBinding

__all__ = ["SUBCOMMAND"]

_HELP: Final = "List the namespaces of projects, and as whom objects there are taken in."


def _run(options: Mapping[str, Any], out: Out) -> int:
    rows = NamespaceBinding.objects.select_related("project", "service_account__project")
    lines = [("PROJECT", "NAMESPACE", "TAKEN IN AS")]
    for binding in rows.order_by("project__resource_id"):
        account = binding.service_account
        taken = "nobody" if account is None else str(account)
        if account is not None and account.disabled:
            taken += " (disabled)"
        lines.append((binding.project.resource_id, binding.namespace, taken))
    first, second = (max(len(line[column]) for line in lines) + 2 for column in (0, 1))
    for project, namespace, taken in lines:
        out(f"{project:<{first}}{namespace:<{second}}{taken}")
    return 0


SUBCOMMAND: Final = Subcommand(_HELP, _run, no_arguments)
