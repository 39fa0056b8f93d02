import pytest

from catalog.domain.openstack_cluster import TRANSITIONS, check_transition
from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument

ALLOWED = {
    ("Active", "Cordoned"),
    ("Active", "Draining"),
    ("Cordoned", "Active"),
    ("Cordoned", "Draining"),
    ("Cordoned", "Retired"),
    ("Draining", "Active"),
    ("Draining", "Cordoned"),
    ("Draining", "Retired"),
}
STATES = list(TRANSITIONS)


@pytest.mark.parametrize("wanted", STATES)
@pytest.mark.parametrize("current", STATES)
def test_a_cluster_goes_only_through_the_transitions_of_the_table(
    current: str, wanted: str
) -> None:
    if current == wanted or (current, wanted) in ALLOWED:
        check_transition("c", current, wanted, {})
        return
    with pytest.raises(FailedPrecondition) as caught:
        check_transition("c", current, wanted, {})
    assert caught.value.reason == "CLUSTER_STATE"


@pytest.mark.parametrize("current", ["Cordoned", "Draining"])
def test_a_cluster_that_is_not_empty_is_not_retired(current: str) -> None:
    with pytest.raises(FailedPrecondition, match="3 OpenStackInstance") as caught:
        check_transition("c", current, "Retired", {"OpenStackInstance": 3, "VolumeBinding": 0})
    assert caught.value.reason == "CLUSTER_NOT_EMPTY"
    check_transition("c", current, "Retired", {"OpenStackInstance": 0})
    check_transition("c", current, "Active", {"OpenStackInstance": 3})


def test_a_state_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        check_transition("c", "Active", "Broken", {})
