"""The kinds that the apps supply (CYCLOUD_KUBERNETES_KINDS), and which key of the queue means which object."""

from collections.abc import Mapping, Sequence
from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

from cycloud.kubernetes.kinds import Kind, TakenIn

__all__ = ["all_kinds", "join_key", "kind_named", "kind_of_rows", "split_key", "taken_in_kinds"]


@cache
def _kinds() -> Mapping[str, Kind]:
    lists: list[Sequence[Kind]] = [
        import_string(path) for path in settings.CYCLOUD_KUBERNETES_KINDS
    ]
    return {kind.api.kind: kind for kinds in lists for kind in kinds}


@cache
def _by_rows() -> Mapping[str, Kind]:
    return {kind.row_kind: kind for kind in all_kinds()}


def all_kinds() -> Sequence[Kind]:
    """Return all kinds: those that are owned behind their owners."""
    return tuple(_kinds().values())


def taken_in_kinds() -> Sequence[TakenIn]:
    """Return the kinds whose objects people may write."""
    return tuple(kind for kind in all_kinds() if isinstance(kind, TakenIn))


def kind_named(name: str) -> Kind:
    """Return the kind that Kubernetes calls ``name``; raises KeyError."""
    return _kinds()[name]


def kind_of_rows(row_kind: str) -> Kind | None:
    """Return the kind of rows of that word, if they are in Kubernetes."""
    return _by_rows().get(row_kind)


def join_key(kind: str, name: str) -> str:
    """Return the key of the queue for a kind and a resource's name: ``Instance:projects/p/instances/web-1``."""
    return f"{kind}:{name}"


def split_key(key: str) -> tuple[str, str]:
    """Return kind and name of a key."""
    kind, _, name = key.partition(":")
    return kind, name
