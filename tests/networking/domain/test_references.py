import pytest

from cycloud.core.aip.errors import InvalidArgument
from networking.domain.references import local_id


@pytest.mark.parametrize("value", ["s-1", "projects/p/subnets/s-1"])
def test_short_and_full_names_mean_the_same(value: str) -> None:
    assert local_id(value, project_id="p", collection="subnets", field="subnet") == "s-1"


@pytest.mark.parametrize(
    "value",
    [
        "",
        "projects/q/subnets/s-1",
        "projects/p/vpcs/s-1",
        "projects/p/subnets/",
        "subnets/s-1",
        "projects/p/subnets/a/b",
    ],
)
def test_names_of_something_else_are_refused(value: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        local_id(value, project_id="p", collection="subnets", field="subnet")
    assert caught.value.violations[0].field == "subnet"
