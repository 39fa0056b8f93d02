"""The shared storage: sparse objects with bytes."""

import pytest

from cycloud.simulator.storage import CHUNK, SparseObject, Storage, StorageError


def test_what_is_written_over_chunk_borders_is_read_back() -> None:
    item = SparseObject(10 * CHUNK)
    data = bytes(range(256)) * 600

    item.write(CHUNK - 7, data)

    assert item.read(CHUNK - 7, len(data)) == data
    assert item.read(CHUNK - 8, 1) == b"\0"
    assert item.read(CHUNK - 7 + len(data), 3) == b"\0\0\0"


def test_reading_stops_at_the_end() -> None:
    item = SparseObject(100)

    assert item.read(90, 50) == bytes(10)
    assert item.read(200, 5) == b""


@pytest.mark.parametrize(("offset", "length"), [(-1, 1), (99, 2), (100, 1)])
def test_writing_outside_is_refused(offset: int, length: int) -> None:
    with pytest.raises(StorageError, match="outside"):
        SparseObject(100).write(offset, b"x" * length)


def test_holes_and_zeros_have_one_digest_and_size_counts() -> None:
    empty, zeros, longer = SparseObject(CHUNK), SparseObject(CHUNK), SparseObject(CHUNK + 1)
    zeros.write(0, bytes(CHUNK))

    assert empty.digest() == zeros.digest()
    assert empty.digest() != longer.digest()
    zeros.write(5, b"x")
    assert empty.digest() != zeros.digest()


def test_a_copy_shares_bytes_until_it_is_written() -> None:
    first = SparseObject(CHUNK)
    first.write(0, b"first")

    second = first.copy(2 * CHUNK, "shared")
    second.write(0, b"other")

    assert first.read(0, 5) == b"first"
    assert (second.size, second.read(0, 5)) == (2 * CHUNK, b"other")


def test_a_rename_keeps_the_bytes() -> None:
    storage = Storage()
    storage.create("old", 100)
    storage.write("old", 3, b"kept")

    storage.rename("old", "new")

    assert list(storage) == ["new"]
    assert storage.read("new", 3, 4) == b"kept"


def test_names_are_unique_and_missing_ones_are_named() -> None:
    storage = Storage()
    storage.create("one", 1)
    storage.create("two", 1, backend="fast")

    assert storage.names("fast") == ["two"]
    with pytest.raises(StorageError, match="'one' already"):
        storage.create("one", 1)
    with pytest.raises(StorageError, match="'two' already"):
        storage.rename("one", "two")
    for call in (storage.delete, storage.size, storage.digest):
        with pytest.raises(StorageError, match="'gone'"):
            call("gone")
    assert storage.exists("one")
    storage.delete("one")
    assert not storage.exists("one")
