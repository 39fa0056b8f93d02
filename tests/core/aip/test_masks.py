from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cycloud.core.aip.body import Body
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.masks import MapPatch, Mask, changed_map, parse_mask, parse_read_mask

UPDATABLE = frozenset({"display_name", "labels", "volumes"})
OUTPUT_ONLY = frozenset({"uid", "etag"})


def mask_of(text: str, body: dict[str, Any] | None = None) -> Mask:
    return parse_mask(text, updatable=UPDATABLE, output_only=OUTPUT_ONLY, body=body or {})


@pytest.mark.parametrize(
    ("text", "body", "expected"),
    [
        ("", {"labels": {}}, {"labels"}),
        ("", {"labels": {}, "uid": "x"}, {"labels"}),
        ("*", {}, UPDATABLE),
        (" * ", {}, UPDATABLE),
        ("labels", {"display_name": "x"}, {"labels"}),
        (" labels , display_name", {}, {"display_name", "labels"}),
        ("labels,uid", {}, {"labels"}),
        ("", {"unknown": 1}, {"unknown"}),
    ],
)
def test_the_mask_says_what_is_to_change(
    text: str, body: dict[str, object], expected: set[str]
) -> None:
    assert mask_of(text, body) == Mask(frozenset(expected))


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("labels.env", {"env"}),
        ("labels.env,labels.a-b_1", {"env", "a-b_1"}),
        ("labels.`app.example.com/tier` , labels.env", {"app.example.com/tier", "env"}),
        ("labels.`a,b`", {"a,b"}),
        # the whole map holds each of its keys
        ("labels.env,labels", None),
    ],
)
def test_a_path_may_name_a_key_of_a_map(text: str, keys: set[str] | None) -> None:
    expected = (
        Mask(frozenset({"labels"}))
        if keys is None
        else Mask(frozenset(), {"labels": frozenset(keys)})
    )
    assert mask_of(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "nothing",
            "labels,*",
            "*,labels",
            "*.env",
            "Labels",
            "volumes.id",
            "uid2",
            "display_name.x",
        ),
        *(
            ",",
            "labels,",
            ",labels",
            "labels,,uid",
            "labels uid",
            "labels.",
            "labels.``",
            "labels.`a",
        ),
        *(
            "labels.a.b",
            "labels.app.example.com/tier",
            "labels.a`b`",
            "`labels`",
            "-",
            "x" * 5000,
            "\0",
        ),
    ],
)
@pytest.mark.parametrize("field", ["update_mask", "read_mask"])
def test_a_wrong_path_is_named(text: str, field: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        mask_of(text) if field == "update_mask" else parse_read_mask(text, UPDATABLE | OUTPUT_ONLY)
    assert caught.value.violations[0].field == field


def test_an_unknown_path_is_told_which_there_are() -> None:
    with pytest.raises(InvalidArgument, match=r"'colour' .* display_name, labels, volumes"):
        mask_of("labels,colour")


@given(st.text(max_size=40) | st.text(alphabet="labels.uid`,* ", max_size=40))
def test_no_text_fails_in_another_way(text: str) -> None:
    for parse in (mask_of, lambda text: parse_read_mask(text, UPDATABLE)):
        try:
            parse(text)
        except InvalidArgument as error:
            assert error.violations[0].field in ("update_mask", "read_mask")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"labels": {"env": "prod", "c": "not in the mask"}}, {"env": "prod", "keep": "1"}),
        ({"labels": {}}, {"keep": "1"}),
        ({"labels": {"env": None}}, {"keep": "1"}),
        ({"labels": None}, {"keep": "1"}),
        ({}, {"keep": "1"}),
    ],
)
def test_only_the_keys_of_the_mask_change(body: dict[str, Any], expected: dict[str, str]) -> None:
    read = Body(body, mask=mask_of("labels.env", body))
    assert read.has("labels")
    change = read.map_change("labels")
    read.finish()
    assert changed_map({"env": "test", "keep": "1"}, change) == expected


def test_a_whole_map_replaces_the_old_one() -> None:
    body = {"labels": {"env": "prod"}}
    change = Body(body, mask=mask_of("labels", body)).map_change("labels")
    assert changed_map({"env": "test", "keep": "1"}, change) == {"env": "prod"}
    assert not isinstance(change, MapPatch)


@pytest.mark.parametrize("value", [{"env": 1}, {"env": {}}, [], "x"])
def test_a_key_that_is_no_text_is_refused(value: Any) -> None:
    body = {"labels": value}
    with pytest.raises(InvalidArgument) as caught:
        Body(body, mask=mask_of("labels.env", body)).map_change("labels")
    assert caught.value.violations[0].field == "labels"


RESOURCE = {
    "name": "projects/p/instances/web-1",
    "labels": {"env": "prod", "a.b/c": "x"},
    "volumes": [{"id": "v", "size": "1Gi"}],
    "state": None,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", RESOURCE),
        ("*", RESOURCE),
        ("state,name", {"name": RESOURCE["name"], "state": None}),
        ("volumes", {"volumes": RESOURCE["volumes"]}),
        ("labels.env,labels.none", {"labels": {"env": "prod"}}),
        ("labels.`a.b/c`,labels.env", {"labels": RESOURCE["labels"]}),
    ],
)
def test_a_read_mask_shows_what_it_names(text: str, expected: dict[str, Any]) -> None:
    mask = parse_read_mask(text, RESOURCE.keys())
    shown = RESOURCE if mask is None else mask.applied_to(RESOURCE)
    assert shown == expected
    assert list(shown) == [name for name in RESOURCE if name in expected]
