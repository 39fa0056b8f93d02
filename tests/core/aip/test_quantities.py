import pytest
from hypothesis import given
from hypothesis import strategies as st

from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.quantities import format_gib, parse_gib


@pytest.mark.parametrize(
    ("text", "gib"), [("1Gi", 1), ("100Gi", 100), ("2Ti", 2048), ("3072Mi", 3)]
)
def test_a_size_is_read_in_gib(text: str, gib: int) -> None:
    assert parse_gib(text) == gib


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0Gi",
        "-1Gi",
        "1.5Gi",
        "100",
        "100G",
        "100GB",
        "1000Mi",
        "9999999Ti",
        " 1Gi",
        "١Gi",
        100,
        None,
    ],
)
def test_what_is_no_size_is_refused_with_the_field(text: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_gib(text, "volumes[0].size")
    assert caught.value.violations[0].field == "volumes[0].size"


@given(st.integers(1, 2**31 - 1))
def test_what_is_shown_is_read_back(gib: int) -> None:
    if gib <= 999_999_999:
        assert parse_gib(format_gib(gib)) == gib
