import pytest

from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.masks import parse_mask

UPDATABLE = frozenset({"display_name", "labels"})
OUTPUT_ONLY = frozenset({"uid", "etag"})


@pytest.mark.parametrize(
    ("text", "body", "expected"),
    [
        ("", {"labels": {}}, {"labels"}),
        ("", {"labels": {}, "uid": "x"}, {"labels"}),
        ("*", {}, {"display_name", "labels"}),
        ("labels", {"display_name": "x"}, {"labels"}),
        (" labels , display_name", {}, {"display_name", "labels"}),
        ("labels,uid", {}, {"labels"}),
        ("", {"unknown": 1}, {"unknown"}),
    ],
)
def test_the_mask_says_what_is_to_change(
    text: str, body: dict[str, object], expected: set[str]
) -> None:
    mask = parse_mask(text, updatable=UPDATABLE, output_only=OUTPUT_ONLY, body=body)
    assert mask == expected


@pytest.mark.parametrize("text", ["nothing", "labels,*", ",", "labels.env", "Labels"])
def test_an_unknown_path_is_named(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_mask(text, updatable=UPDATABLE, output_only=OUTPUT_ONLY, body={})
    assert caught.value.violations[0].field == "update_mask"
    assert "display_name, labels" in caught.value.message
