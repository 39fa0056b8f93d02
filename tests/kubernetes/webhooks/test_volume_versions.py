"""Volume v1alpha1 <-> v1 loses nothing, either way."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cycloud.core.aip.quantities import parse_gib
from cycloud.kubernetes.webhooks.conversion import convert
from cycloud.kubernetes.webhooks.volume_versions import SIZE_ANNOTATION, VOLUME_GROUP

Json = dict[str, Any]
V1 = f"{VOLUME_GROUP}/v1"
V1ALPHA1 = f"{VOLUME_GROUP}/v1alpha1"

names = st.text("abcdefghij-", min_size=1, max_size=12)
texts = st.dictionaries(
    names.map(lambda name: f"example.com/{name}"), st.text(max_size=8), min_size=1, max_size=3
)
# what a person may have written, sensible or not
sizes = st.one_of(
    st.integers(1, 5000).map(lambda gib: f"{gib}Gi"),
    st.integers(1, 20).map(lambda tib: f"{tib}Ti"),
    st.integers(1, 9000).map(lambda mib: f"{mib}Mi"),
    st.integers(1, 20).map(lambda tib: f"{tib * 1024}Gi"),
    st.sampled_from(
        ["0Gi", "-5Gi", "010Gi", "1.5Gi", "10G", "None", "NoneGi", "", "10Gi ", "1e3Gi"]
    ),
    st.text(max_size=10),
)
specs = st.fixed_dictionaries(
    {"volumeType": names}, optional={"displayName": st.text(max_size=8), "image": names}
)


@st.composite
def volumes(draw: st.DrawFn, api_version: str) -> Json:
    spec: Json = dict(draw(specs))
    metadata: Json = {"name": draw(names), "namespace": "demo", "uid": draw(names), "generation": 3}
    if draw(st.booleans()):
        metadata["annotations"] = draw(texts)
    if draw(st.booleans()):
        metadata["labels"] = draw(texts)
    if api_version == V1:
        if draw(st.booleans()):
            spec["size"] = draw(sizes)
    elif draw(st.booleans()):
        spec["sizeGiB"] = draw(st.integers(-(2**63), 2**63 - 1) | st.integers(1, 5000))
    item: Json = {"apiVersion": api_version, "kind": "Volume", "metadata": metadata, "spec": spec}
    if draw(st.booleans()):
        item["status"] = {"uid": "u", "conditions": [{"type": "Ready", "status": "True"}]}
    return item


@given(st.lists(volumes(V1), max_size=4))
def test_v1_comes_back_from_v1alpha1_as_it_was(items: list[Json]) -> None:
    earlier = convert(items, V1ALPHA1)
    assert [item["apiVersion"] for item in earlier] == [V1ALPHA1] * len(items)
    assert all("size" not in item["spec"] for item in earlier)
    assert convert(earlier, V1) == items


@given(st.lists(volumes(V1ALPHA1), max_size=4))
def test_v1alpha1_comes_back_from_v1_as_it_was(items: list[Json]) -> None:
    later = convert(items, V1)
    assert all("sizeGiB" not in item["spec"] for item in later)
    assert all(SIZE_ANNOTATION not in item["metadata"].get("annotations", {}) for item in later)
    assert convert(later, V1ALPHA1) == items


@given(volumes(V1))
def test_a_version_means_the_same_size_as_the_other(item: Json) -> None:
    spec = convert([item], V1ALPHA1)[0]["spec"]
    if spec.get("sizeGiB", 0) > 0 and spec["sizeGiB"] < 2**31:
        assert parse_gib(item["spec"]["size"]) == spec["sizeGiB"]


@given(volumes(V1) | volumes(V1ALPHA1))
def test_all_but_the_size_is_left_alone(item: Json) -> None:
    other = V1ALPHA1 if item["apiVersion"] == V1 else V1
    converted = convert([item], other)[0]
    for side in (item, converted):
        side["spec"].pop("size", None)
        side["spec"].pop("sizeGiB", None)
        side["metadata"].get("annotations", {}).pop(SIZE_ANNOTATION, None)
        if not side["metadata"].get("annotations"):
            side["metadata"].pop("annotations", None)
    assert {**converted, "apiVersion": item["apiVersion"]} == item


def volume(api_version: str, size: Json, annotations: Json | None = None) -> Json:
    metadata = {"name": "data-1", **({"annotations": annotations} if annotations else {})}
    return {"apiVersion": api_version, "kind": "Volume", "metadata": metadata, "spec": size}


@pytest.mark.parametrize(
    ("size", "earlier"),
    [
        ("10Gi", volume(V1ALPHA1, {"sizeGiB": 10})),
        ("1Ti", volume(V1ALPHA1, {"sizeGiB": 1024}, {SIZE_ANNOTATION: "1Ti"})),
        ("1024Gi", volume(V1ALPHA1, {"sizeGiB": 1024})),
        ("2048Mi", volume(V1ALPHA1, {"sizeGiB": 2}, {SIZE_ANNOTATION: "2048Mi"})),
        ("1536Mi", volume(V1ALPHA1, {}, {SIZE_ANNOTATION: "1536Mi"})),
        ("NoneGi", volume(V1ALPHA1, {}, {SIZE_ANNOTATION: "NoneGi"})),
    ],
)
def test_the_text_is_kept_only_where_the_number_would_not_give_it_back(
    size: str, earlier: Json
) -> None:
    assert convert([volume(V1, {"size": size})], V1ALPHA1) == [earlier]


def test_who_changes_the_number_has_changed_the_size() -> None:
    edited = volume(V1ALPHA1, {"sizeGiB": 2048}, {SIZE_ANNOTATION: "1Ti", "example.com/a": "b"})
    assert convert([edited], V1) == [volume(V1, {"size": "2048Gi"}, {"example.com/a": "b"})]


def test_the_text_in_another_version_cannot_be_planted_through_v1() -> None:
    planted = volume(V1, {"size": "5Gi"}, {SIZE_ANNOTATION: "5120Mi"})
    assert convert([planted], V1ALPHA1) == [volume(V1ALPHA1, {"sizeGiB": 5})]
