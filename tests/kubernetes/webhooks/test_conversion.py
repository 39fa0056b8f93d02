import copy
from typing import Any

import pytest

from cycloud.kubernetes.webhooks.conversion import ConversionRefused, Spoke, Versions, convert
from cycloud.kubernetes.webhooks.volume_versions import VOLUME_GROUP

Json = dict[str, Any]
GROUP = "things.example.com"


def rename(old: str, new: str) -> Any:
    def change(parts: Json) -> Json:
        spec = {new if key == old else key: value for key, value in parts["spec"].items()}
        return {**parts, "spec": spec}

    return change


THINGS = {
    (GROUP, "Thing"): Versions(
        "v2",
        {
            "v1": Spoke(rename("b", "c"), rename("c", "b")),
            "v1beta1": Spoke(rename("a", "c"), rename("c", "a")),
        },
    )
}


def thing(version: str, name: str = "t", **spec: str) -> Json:
    return {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "Thing",
        "metadata": {"name": name, "namespace": "demo"},
        "spec": spec,
    }


@pytest.mark.parametrize(("start", "key"), [("v1beta1", "a"), ("v1", "b"), ("v2", "c")])
@pytest.mark.parametrize(("end", "wanted"), [("v1beta1", "a"), ("v1", "b"), ("v2", "c")])
def test_every_version_becomes_every_other_by_way_of_the_stored_one(
    start: str, key: str, end: str, wanted: str
) -> None:
    found = convert([thing(start, **{key: "x"})], f"{GROUP}/{end}", THINGS)
    assert found == [thing(end, **{wanted: "x"})]


def test_many_objects_of_several_versions_keep_their_order() -> None:
    items = [
        thing("v1", f"t-{n}", b=str(n)) if n % 2 else thing("v2", f"t-{n}", c=str(n))
        for n in range(500)
    ]
    found = convert(items, f"{GROUP}/v2", THINGS)
    assert found == [thing("v2", f"t-{n}", c=str(n)) for n in range(500)]


def test_what_was_given_is_not_changed() -> None:
    item = thing("v1", b="x")
    before = copy.deepcopy(item)
    convert([item], f"{GROUP}/v2", THINGS)
    assert item == before


@pytest.mark.parametrize(
    ("item", "wanted", "message"),
    [
        (
            thing("v1"),
            f"{GROUP}/v9",
            "demo/t: Thing has no version 'v9'. There are: v2, v1, v1beta1.",
        ),
        (thing("v0"), f"{GROUP}/v2", "demo/t: Thing has no version 'v0'"),
        (thing("v1"), "other.example.com/v2", "cannot be had in other.example.com/v2"),
        ({**thing("v1"), "kind": "Other"}, f"{GROUP}/v2", "Other of things.example.com/v1"),
        ({"kind": "Thing"}, f"{GROUP}/v2", "None: Thing of None"),
    ],
)
def test_what_nobody_knows_is_refused_by_name(item: Json, wanted: str, message: str) -> None:
    with pytest.raises(ConversionRefused) as caught:
        convert([item], wanted, THINGS)
    assert message in str(caught.value)


@pytest.mark.parametrize("part", ["spec", "metadata"])
def test_an_object_without_a_part_gets_none(part: str) -> None:
    item = {
        "apiVersion": f"{VOLUME_GROUP}/v1",
        "kind": "Volume",
        "spec": {},
        "metadata": {"name": "v"},
    }
    del item[part]
    found = convert([item], f"{VOLUME_GROUP}/v1alpha1")[0]
    assert ("spec" in found) == ("spec" in item)
    # the API server refuses a converted object without metadata
    assert "metadata" in found
