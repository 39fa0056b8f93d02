"""What every subcommand has, and how what goes wrong is told to a person."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cycloud.core.iam.actor import Actor, system_actor
from cycloud.kubernetes.faults import FaultKind, KubernetesFault

__all__ = ["ACTOR", "Out", "Subcommand", "explain", "no_arguments", "project_id_of"]

# writes one line
Out = Callable[[str], object]
# a refused definition is told with all that is around the fault, several times over
_LONGEST_MESSAGE: Final = 600
ACTOR: Final[Actor] = system_actor("kubernetes-command")


@dataclass(frozen=True)
class Subcommand:
    """``run`` gets the parsed options and returns the exit status."""

    help: str
    run: Callable[[Mapping[str, Any], Out], int]
    add_arguments: Callable[[ArgumentParser], None]


def no_arguments(parser: ArgumentParser) -> None:
    """Add none."""


def project_id_of(text: str) -> str:
    """Return the id of a project that is given as ``p`` or ``projects/p``."""
    return text.removeprefix("projects/")


def explain(fault: KubernetesFault) -> str:
    """Return one sentence on what happened, and one on what to do."""
    message = " ".join(fault.message.split())
    if len(message) > _LONGEST_MESSAGE:
        message = f"{message[:_LONGEST_MESSAGE]}..."
    match fault.kind:
        case FaultKind.UNREACHABLE | FaultKind.RATE_LIMITED:
            return (
                f"The Kubernetes API does not answer ({message}). Is it up, and is it the one that the configuration "
                "names? Try: kubectl version"
            )
        case FaultKind.UNAUTHENTICATED:
            return (
                f"The Kubernetes API does not know these credentials ({message}). Renew the token or certificate in "
                "the kubeconfig."
            )
        case FaultKind.FORBIDDEN:
            return (
                f"This account may not do that: {message}. Run the command with an administrator's kubeconfig "
                "(CYCLOUD_KUBERNETES_KUBECONFIG)."
            )
        case FaultKind.NO_SUCH_KIND:
            return (
                f"The definitions are not installed ({message}). Run: manage.py kubernetes install"
            )
        case FaultKind.TERMINATING:
            return (
                f"The namespace is being deleted ({message}). Wait for its end, then do it again."
            )
        case FaultKind.CONFLICT:
            return f"Somebody else was faster ({message}). Do it again."
        case _:
            return f"The Kubernetes API refuses it: {message}"
