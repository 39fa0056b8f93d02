"""The descriptors that reflection answers from: Python's pool does not know methods by their names."""

from typing import Any

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import FileDescriptor

__all__ = ["SymbolPool"]


class SymbolPool:
    """The default pool, which finds the file of a method too, as the pools of other languages do."""

    def __init__(self) -> None:
        self._pool = descriptor_pool.Default()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    def FindFileContainingSymbol(self, symbol: str) -> FileDescriptor:  # noqa: N802  (as the pool names it)
        """Return the file that declares ``symbol``. Raises KeyError."""
        try:
            return self._pool.FindFileContainingSymbol(symbol)
        except KeyError:
            service, _, method = symbol.rpartition(".")
            if method not in self._pool.FindServiceByName(service).methods_by_name:
                raise
            return self._pool.FindFileContainingSymbol(service)
