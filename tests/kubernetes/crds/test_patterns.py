"""The API server refuses what our own checks refuse, no more: the patterns are the same."""

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalog.domain.fields import check_catalog_id, check_provider_text
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.names import check_resource_id
from cycloud.core.aip.quantities import parse_gib
from cycloud.kubernetes.crds.fields import CATALOG_ID, PROVIDER_TEXT, QUANTITY, RESOURCE_ID

IDS = st.text("ab09.-_A é\n", max_size=70) | st.from_regex(CATALOG_ID["pattern"])


def _matches(limits: dict[str, Any], text: str) -> bool:
    # Go's $ is the end of the text, Python's may be before a last line break
    pattern = str(limits["pattern"]).removesuffix("$") + r"\Z"
    return bool(re.match(pattern, text)) and len(text) <= limits["maxLength"]


def _passes(check: Any, *arguments: Any) -> bool:
    try:
        check(*arguments)
    except InvalidArgument:
        return False
    return True


@given(IDS)
@example("a" * 63)
@example("a" * 64)
def test_ids_of_projects_resources(text: str) -> None:
    assert _matches(RESOURCE_ID, text) == _passes(check_resource_id, text, "x")


@given(IDS)
@example("ubuntu-24.04")
def test_ids_of_the_catalog(text: str) -> None:
    assert _matches(CATALOG_ID, text) == _passes(check_catalog_id, text, "x")


@given(st.text(max_size=260) | st.text("ab#@~! ", max_size=260))
@example("x" * 255)
@example("x" * 256)
def test_texts_of_providers(text: str) -> None:
    assert _matches(PROVIDER_TEXT, text) == _passes(check_provider_text, text, "x", "x")


@given(st.from_regex(QUANTITY["pattern"]) | st.text("019MGTi. ", max_size=14))
@example("999999999Ti")
def test_every_size_that_we_take_is_a_size_there(text: str) -> None:
    if _passes(parse_gib, text):
        assert _matches(QUANTITY, text)


@pytest.mark.parametrize("text", ["10G", "10", "0Gi", "-1Gi", "1.5Gi", "10gi", "1e3Gi", "", " 1Gi"])
def test_what_is_no_size_is_none_there(text: str) -> None:
    assert not _matches(QUANTITY, text)
    assert not _passes(parse_gib, text)
