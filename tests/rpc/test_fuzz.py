"""Whatever bytes or values come, the answer is the caller's fault or fine: never INTERNAL, never UNKNOWN."""

import os
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message_factory import GetMessageClass
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cycloud.rpc import SERVICES
from tests.factories.compute import World
from tests.support.rpc import RpcAnswer, RpcClient

METHODS = [
    (f"{service.descriptor.full_name.removeprefix('cycloud.')}/{method.name}", method.input_type)
    for service in SERVICES
    for method in service.descriptor.methods
    # a stream does not end by itself; an operation is waited for
    if not method.server_streaming and method.name != "WaitOperation"
]
NEVER = (
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
)
# `make test` tries few of them; CYCLOUD_FUZZ_EXAMPLES=5000 many
EXAMPLES = int(os.environ.get("CYCLOUD_FUZZ_EXAMPLES", "100"))
FUZZ = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
# texts that are near to good ones, and such as break parsers
WORDS = st.sampled_from(
    ["", "p", "projects/p", "projects/-", "projects/p/instances/a", "100Gi", "*", "name", "labels.a",
     "-1", "0", "\0", "a\0b", "\U0010ffff", "​", "' OR 1=1 --", "%s%n", "{}", "a" * 5000, "name = \"x\"",
     "create_time > \"x\"", "((((", "NOT NOT NOT a", "create_time desc, create_time", "`", "labels.`a.b`",
     "00000000-0000-0000-0000-000000000000", '"x"', "W/\"x\"", "9" * 400]
)  # fmt: skip
TEXTS = WORDS | st.text(max_size=40)
_MOST = 3


def message_of(kind: Descriptor, data: st.DataObject, world: World, depth: int = 0) -> Any:
    """Build a message with some of its fields set to something."""
    message: Any = GetMessageClass(kind)()
    for field in kind.fields:
        if not data.draw(st.booleans()):
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            for key, value in data.draw(st.dictionaries(TEXTS, TEXTS, max_size=_MOST)).items():
                getattr(message, field.name)[key] = value
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            if depth < 3 and field.message_type is not None:
                inner = message_of(field.message_type, data, world, depth + 1)
                target = getattr(message, field.name)
                (target.append if field.is_repeated else target.CopyFrom)(inner)
        elif field.is_repeated:
            getattr(message, field.name).extend(data.draw(st.lists(TEXTS, max_size=_MOST)))
        else:
            setattr(message, field.name, _scalar(field, data, world))
    return message


def _scalar(field: FieldDescriptor, data: st.DataObject, world: World) -> Any:
    if field.type == FieldDescriptor.TYPE_STRING:
        # a good parent half the time, so that the rest of the request is looked at too
        good = st.just(world.project.name) if field.name in ("parent", "name") else TEXTS
        return data.draw(good | TEXTS)
    if field.type == FieldDescriptor.TYPE_BOOL:
        return data.draw(st.booleans())
    if field.type == FieldDescriptor.TYPE_ENUM:
        return data.draw(st.sampled_from([0, 1, 2, 99, -1, 2**31 - 1]))
    edges = [0, 1, -1, 2**31 - 1, -(2**31)]
    if field.type == FieldDescriptor.TYPE_INT64:
        edges += [2**63 - 1, -(2**63)]
    return data.draw(st.sampled_from(edges))


def check(answer: RpcAnswer, method: str) -> None:
    assert answer.code not in NEVER, (method, answer)
    if not answer.ok:
        assert answer.reason, (method, answer)


@pytest.fixture
def clients(world: World, api: RpcClient, operator: RpcClient) -> list[RpcClient]:
    world.instance(resource_id="a")
    return [api, operator]


@FUZZ
@given(data=st.data())
def test_raw_bytes_are_refused_or_understood(clients: list[RpcClient], data: st.DataObject) -> None:
    method, _ = data.draw(st.sampled_from(METHODS), label="method")
    raw = data.draw(
        st.binary(max_size=200)
        # nesting, and lengths that lie
        | st.integers(1, 400).map(lambda n: b"\x1a\x02" * n)
        | st.sampled_from(
            [b"\x0a\xff\xff\xff\xff\x0f", b"\x0b" * 500, b"\x0a\x02\xc3\x28", b"\x08" * 30]
        )
    )
    client = data.draw(st.sampled_from(clients))
    check(client(method, raw=raw), method)


@FUZZ
@given(data=st.data())
def test_messages_with_any_values_are_refused_or_understood(
    clients: list[RpcClient], world: World, data: st.DataObject
) -> None:
    method, kind = data.draw(st.sampled_from(METHODS), label="method")
    raw = bytes(message_of(kind, data, world).SerializeToString())
    client = data.draw(st.sampled_from(clients))
    check(client(method, raw=raw), method)
