import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from cycloud.common.v1.condition_pb2 import Condition
from cycloud.compute.v1.instance_pb2 import Instance
from cycloud.compute.v1.volume_pb2 import Volume
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.rpc.messages import json_of, message_of


def test_what_is_not_set_is_not_in_the_json() -> None:
    assert json_of(Instance(instance_type="m8a.medium")) == {"instance_type": "m8a.medium"}


def test_an_enum_is_its_word_and_a_number_that_there_is_not_stays_one() -> None:
    assert json_of(Instance(desired_state=Instance.State.STOPPED)) == {"desired_state": "STOPPED"}
    unknown = Instance.FromString(Instance(desired_state=99).SerializeToString())  # type: ignore[arg-type]
    assert json_of(unknown) == {"desired_state": 99}


def test_a_null_is_a_field_that_is_not_set() -> None:
    volume = message_of({"name": "projects/p/volumes/v", "image": None, "size": "1Gi"}, Volume)
    assert not volume.HasField("image")
    assert volume.size == "1Gi"


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (Instance(display_name="a\0b"), "display_name"),
        (Instance(labels={"a\0": "b"}), "labels.a\\0"),
        (Instance(conditions=[Condition(reason="\0")]), "conditions[0].reason"),
        (Instance(create_time=Timestamp(seconds=10**14)), "request"),
    ],
)
def test_what_json_cannot_have_is_refused_and_named(message: Instance, field: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        json_of(message)
    assert refusal.value.violations[0].field == field
