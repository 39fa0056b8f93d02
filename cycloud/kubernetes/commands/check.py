"""``manage.py kubernetes check``: whether the sync can work, and what to do where it cannot."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from cycloud.kubernetes.client import client
from cycloud.kubernetes.commands.subcommand import Out, Subcommand, explain, no_arguments
from cycloud.kubernetes.config import access_of_settings, load_configuration
from cycloud.kubernetes.faults import KubernetesFault
from cycloud.kubernetes.install import checks
from cycloud.kubernetes.install.findings import Finding, Level, note, wrong
from cycloud.kubernetes.install.objects import controller_apis, to_install
from cycloud.kubernetes.install.processes import check_watcher, check_worker
from cycloud.kubernetes.install.rbac import controller_rules, lease_rules, rights_of
from cycloud.kubernetes.install.reach import check_webhook, server_time
from cycloud.kubernetes.install.webhook import address_of_settings
from cycloud.kubernetes.places import system_namespace

__all__ = ["SUBCOMMAND", "findings"]

_HELP: Final = (
    "Check that the sync can work: the server's version, this account's rights, clocks, definitions, roles and the "
    "webhook's certificate. Exit status 1 if something is wrong."
)


def findings() -> Iterator[Finding]:
    """Yield what was found, as it is found. Ends early where the API doesn't answer."""
    address = address_of_settings()
    namespace = system_namespace()
    objects = to_install(namespace, address)
    rights = rights_of(controller_rules(controller_apis())) + rights_of(lease_rules(), namespace)
    kubernetes = client()
    try:
        yield from checks.check_server(kubernetes)
        yield _clock()
        yield from checks.check_rights(kubernetes, rights)
        yield from checks.check_definitions(kubernetes, objects)
        yield from checks.check_others(kubernetes, objects)
        yield check_watcher(kubernetes, namespace)
    except KubernetesFault as fault:
        yield wrong("server", explain(fault))
    if address is None:
        yield note(
            "webhook",
            "None is installed (CYCLOUD_KUBERNETES_WEBHOOK_URL): refusals are told after the apply, by Accepted=False.",
        )
    else:
        yield from check_webhook(address)
    yield from check_worker()


def _clock() -> Finding:
    time = server_time(load_configuration(access_of_settings()))
    if time is None:
        return note(
            "clock", "The server doesn't say what its time is, so clocks were not compared."
        )
    return checks.check_clock(time)


def _run(options: Mapping[str, Any], out: Out) -> int:
    is_good = True
    for finding in findings():
        out(str(finding))
        is_good &= finding.level is not Level.WRONG
    return 0 if is_good else 1


SUBCOMMAND: Final = Subcommand(_HELP, _run, no_arguments)
