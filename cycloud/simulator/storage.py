"""The shared storage behind all clouds: named, sparse objects that hold bytes.

A chunk is an immutable ``bytes``, so copies (a volume from an image) share memory until written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

CHUNK = 64 * 1024
"""Bytes per chunk; a chunk that was never written takes no memory and reads as zeros."""

GIB = 1024**3
ZEROS = bytes(CHUNK)


class StorageError(LookupError):
    """An object is missing, exists already, or was read or written outside its size."""


@dataclass
class SparseObject:
    """One image in a pool. `size` is in bytes; `backend` names the pool it lies in."""

    size: int
    backend: str = "shared"
    chunks: dict[int, bytes] = field(default_factory=dict)

    def write(self, offset: int, data: bytes) -> None:
        """Overwrite `data` at `offset` bytes; the object does not grow (StorageError)."""
        if offset < 0 or offset + len(data) > self.size:
            raise StorageError(f"bytes {offset}..{offset + len(data)} lie outside {self.size}")
        position = 0
        while position < len(data):
            index, start = divmod(offset + position, CHUNK)
            part = data[position : position + CHUNK - start]
            old = self.chunks.get(index, ZEROS)
            self.chunks[index] = old[:start] + part + old[start + len(part) :]
            position += len(part)

    def read(self, offset: int, length: int) -> bytes:
        """`length` bytes from `offset`; shorter where the object ends."""
        end = min(offset + length, self.size)
        parts: list[bytes] = []
        while offset < end:
            index, start = divmod(offset, CHUNK)
            part = self.chunks.get(index, ZEROS)[start : start + end - offset]
            parts.append(part)
            offset += len(part)
        return b"".join(parts)

    def digest(self) -> str:
        """SHA-256 over size and all bytes that are not zero; holes cost nothing."""
        total = hashlib.sha256(str(self.size).encode())
        for index in sorted(self.chunks):
            if self.chunks[index] != ZEROS:
                total.update(f":{index}:".encode() + self.chunks[index])
        return total.hexdigest()

    def copy(self, size: int, backend: str) -> SparseObject:
        """The same bytes in an object of `size` bytes, sharing chunks."""
        return SparseObject(size, backend, dict(self.chunks))


class Storage:
    """Objects by name. All clouds see the same ones, as clusters on one Ceph pool do."""

    def __init__(self) -> None:
        self._objects: dict[str, SparseObject] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def names(self, backend: str | None = None) -> list[str]:
        """Sorted names, of one backend if given."""
        return sorted(n for n, o in self._objects.items() if backend in (None, o.backend))

    def exists(self, name: str) -> bool:
        """Whether the backend lists the object."""
        return name in self._objects

    def get(self, name: str) -> SparseObject:
        """The object itself; StorageError names what is missing."""
        if name not in self._objects:
            raise StorageError(f"the storage holds no object {name!r}")
        return self._objects[name]

    def put(self, name: str, item: SparseObject) -> None:
        """Add an object; StorageError if the name is taken."""
        if name in self._objects:
            raise StorageError(f"the storage holds an object {name!r} already")
        self._objects[name] = item

    def create(self, name: str, size: int, backend: str = "shared") -> None:
        """Add an empty object of `size` bytes."""
        self.put(name, SparseObject(size, backend))

    def size(self, name: str) -> int:
        """Size in bytes."""
        return self.get(name).size

    def resize(self, name: str, size: int) -> None:
        """Grow the object to `size` bytes; the new part reads as zeros."""
        self.get(name).size = size

    def write(self, name: str, offset: int, data: bytes) -> None:
        """Overwrite bytes of an object, as a guest would."""
        self.get(name).write(offset, data)

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Read bytes of an object."""
        return self.get(name).read(offset, length)

    def digest(self, name: str) -> str:
        """SHA-256 of one object; equal digests mean equal bytes and size."""
        return self.get(name).digest()

    def rename(self, name: str, new: str) -> None:
        """Give an object another name; its bytes stay where they are."""
        item = self.get(name)
        self.put(new, item)
        del self._objects[name]

    def delete(self, name: str) -> None:
        """Destroy an object and its bytes."""
        self.get(name)
        del self._objects[name]
