"""Requests to make: the methods of the API as they are called, and values that no client means."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from cycloud.core.aip.openapi.examples import read_examples
from cycloud.core.aip.openapi.operations import query_fields
from cycloud.core.aip.openapi.protos import Method, read_api
from cycloud.core.aip.rpc.bindings import MethodKind
from tests.schema.world import Seeded

METHODS = [
    method
    for method in read_api().methods
    # a watch does not end by itself; an operation is waited for
    if method.binding.kind is not MethodKind.WATCH and method.name != "WaitOperation"
]
WITH_BODY = [method for method in METHODS if read_examples().request(method) is not None]
WITH_QUERY = [method for method in METHODS if query_fields(method)]
WITH_PATH = [method for method in METHODS if method.parameters]

numbers = st.one_of(
    st.integers(),
    st.sampled_from([2**31, -(2**31) - 1, 2**63, 2**64, 10**400, -(10**400)]),
    st.floats(allow_nan=False, allow_infinity=False),
)
# with NUL, lone surrogates and what is beyond the basic plane
texts = st.one_of(
    st.text(st.characters(codec=None), max_size=30),
    st.sampled_from(
        ["", "\0", "a\0b", "\ud800", "\udfff\ud800", "\U0010ffff", "é" * 300, "-", "*"]
    ),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)


def path_of(method: Method, seeded: Seeded) -> str:
    """Return the path below /v1/ of what exists."""
    ids = {name: seeded.ids[name][0] for name in method.parameters}
    return method.path.removeprefix("/v1/").format(**ids)


@st.composite
def bodies(draw: st.DrawFn, method: Method) -> bytes:
    """A good body in which one field, or a field of a field, is something else."""
    body: Any = json.loads(json.dumps(read_examples().request(method)))
    holders = [body, *(inner for value in body.values() for inner in _objects(value))]
    holder = draw(st.sampled_from(holders))
    name = draw(st.one_of(st.sampled_from(sorted(holder) or ["etag"]), texts))
    holder[name] = draw(values)
    return json.dumps(body).encode()


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


# no JSON at all, or JSON that is no object
raw_bodies = st.one_of(
    st.binary(max_size=200),
    values.map(lambda value: json.dumps(value).encode()),
    st.text(max_size=60).map(lambda text: text.encode("utf-16")),
)
HUGE = 10 * 1024 * 1024
Make = Callable[[], bytes]
MONSTERS: dict[str, Make] = {
    "10 MB of spaces": lambda: b" " * HUGE,
    "10 MB of a text": lambda: b'{"display_name": "' + b"a" * HUGE + b'"}',
    "10 MB of brackets": lambda: b"[" * HUGE,
    "a million brackets": lambda: b"[" * 1_000_000,
    "a million objects": lambda: b'{"a":' * 400_000,
    "deep and well formed": lambda: b'{"labels":' + b'{"a":' * 90_000 + b"1" + b"}" * 90_001,
    "a number of a million digits": lambda: b'{"display_name": ' + b"9" * 1_000_000 + b"}",
    "an exponent of nine digits": lambda: b'{"display_name": 1e999999999}',
    "a hundred thousand keys": lambda: json.dumps({f"k{n}": n for n in range(100_000)}).encode(),
    "one key twice": lambda: b'{"display_name": "a", "display_name": "b"}',
    "NaN": lambda: b'{"display_name": NaN}',
    "infinity": lambda: b'{"display_name": -Infinity}',
    "a byte order mark": lambda: b"\xef\xbb\xbf{}",
    "UTF-16": lambda: "{}".encode("utf-16"),
    "an overlong NUL": lambda: b'{"display_name": "\xc0\x80"}',
    "a surrogate in UTF-8": lambda: b'{"display_name": "\xed\xa0\x80"}',
    "an escaped surrogate": lambda: b'{"display_name": "\\ud800"}',
    "an escaped NUL": lambda: b'{"display_name": "a\\u0000b"}',
    "a NUL in a key": lambda: b'{"labels": {"a\\u0000b": "c"}}',
    "a NUL byte": lambda: b'{"display_name": "\0"}',
    "half a body": lambda: b'{"display_name": "a',
    "two bodies": lambda: b"{}{}",
    "XML": lambda: b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    "pickle": lambda: b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94.",
}
