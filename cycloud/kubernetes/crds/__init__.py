"""The CustomResourceDefinitions of all kinds, made of the public contract's protos (docs/kubernetes.md).

Apps say what their kinds are in ``<app>/kubernetes/definitions*.py``; CYCLOUD_KUBERNETES_DEFINITIONS names the lists.
"""

from pathlib import Path

from django.conf import settings
from django.utils.module_loading import import_string

from cycloud.kubernetes.crds.definition import Definition, render
from cycloud.kubernetes.crds.folder import stale_in, write_to
from cycloud.kubernetes.kinds import Json

__all__ = ["all_definitions", "definitions", "stale", "write"]


def all_definitions() -> list[Definition]:
    """Return what the apps say of their kinds."""
    return [
        definition
        for path in settings.CYCLOUD_KUBERNETES_DEFINITIONS
        for definition in import_string(path)
    ]


def definitions(webhook: Json | None = None) -> list[Json]:
    """Return all CustomResourceDefinitions, in a stable order.

    ``webhook`` is the clientConfig of the conversion webhook (``url`` or ``service``, and ``caBundle``); without it
    only stored versions are served.
    """
    return [render(definition, webhook) for definition in all_definitions()]


def write(folder: Path) -> None:
    """Write all definitions, as they are without a webhook, into ``folder``: a file for each."""
    write_to(folder, definitions())


def stale(folder: Path) -> list[str]:
    """Return the names of the files in ``folder`` that :func:`write` would change."""
    return stale_in(folder, definitions())
