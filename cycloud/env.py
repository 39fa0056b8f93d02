"""Typed readers of environment variables; what is missing or wrong is named at start-up.

A secret may be given in a file: ``NAME_FILE=/run/secrets/x`` stands for ``NAME``.
"""

import builtins
import os
from collections.abc import Callable, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import TypeVar

from django.core.exceptions import ImproperlyConfigured

T = TypeVar("T")
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


class Env:
    """Reads settings from a mapping and names the variable in every complaint."""

    def __init__(self, source: Mapping[str, str] | None = None) -> None:
        self._source: Mapping[str, str] = os.environ if source is None else source

    def _raw(self, name: str) -> str | None:
        file = self._source.get(f"{name}_FILE")
        if file is None:
            return self._source.get(name)
        try:
            return Path(file).read_text().strip()
        except OSError as error:
            raise ImproperlyConfigured(
                f"{name}_FILE names {file}, which cannot be read ({error.strerror}). "
                f"Correct the path or set {name}."
            ) from error

    def _read(self, name: str, default: T | None, parse: Callable[[str], T], kind: str) -> T:
        raw = self._raw(name)
        if raw is None:
            if default is None:
                raise ImproperlyConfigured(
                    f"The setting {name} ({kind}) is missing. Set it in the environment, "
                    f"or its file in {name}_FILE."
                )
            return default
        try:
            return parse(raw)
        except ValueError as error:
            raise ImproperlyConfigured(f"The setting {name} is not {kind}: {error}.") from error

    def str(self, name: builtins.str, default: builtins.str | None = None) -> builtins.str:
        return self._read(name, default, lambda raw: raw, "a text")

    def int(self, name: builtins.str, default: builtins.int | None = None) -> builtins.int:
        return self._read(name, default, int, "a whole number")

    def float(self, name: builtins.str, default: builtins.float | None = None) -> builtins.float:
        return self._read(name, default, float, "a number")

    def bool(self, name: builtins.str, default: builtins.bool | None = None) -> builtins.bool:
        return self._read(name, default, _parse_bool, "true or false")

    def networks(
        self, name: builtins.str, default: builtins.list[IPv4Network | IPv6Network] | None = None
    ) -> builtins.list[IPv4Network | IPv6Network]:
        kind = "a list of addresses or networks like 10.0.0.0/8 with commas between"
        return self._read(
            name, default, lambda raw: [ip_network(item) for item in _parse_list(raw)], kind
        )

    def list(
        self, name: builtins.str, default: builtins.list[builtins.str] | None = None
    ) -> builtins.list[builtins.str]:
        return self._read(name, default, _parse_list, "a list with commas between")


def _parse_bool(raw: str) -> bool:
    word = raw.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError(f"{raw!r} is neither true nor false")


def _parse_list(raw: str) -> list[str]:
    return [item.strip() for item in raw.split(",") if item.strip()]
