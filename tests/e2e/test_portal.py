"""The portal as processes: it comes up, and it survives the end of its workers."""

from tests.e2e.harness.portal import Portal
from tests.e2e.harness.rest import ApiError, Rest
from tests.e2e.harness.seed import PARENT, SUBNET


def test_a_user_sees_the_project_and_no_cluster(user: Rest) -> None:
    subnet = user.get(f"{PARENT}/subnets/{SUBNET}")
    assert subnet["name"] == f"{PARENT}/subnets/{SUBNET}"
    assert "cluster" not in str(subnet)


def test_a_wrong_token_is_refused(portal: Portal, tokens: dict[str, str]) -> None:
    with Rest(portal.url, "cyc_" + "x" * 40) as stranger:
        try:
            stranger.get(f"{PARENT}/subnets/{SUBNET}")
        except ApiError as error:
            assert error.status == 401
        else:
            raise AssertionError("a stranger got an answer")


def test_killed_workers_come_back_under_new_pids(portal: Portal) -> None:
    first = {name: portal.programs[name].pid for name in portal.workers}
    portal.kill_workers()
    assert not any(portal.programs[name].running for name in portal.workers)
    portal.start_workers()
    second = {name: portal.programs[name].pid for name in portal.workers}
    assert not set(first.values()) & set(second.values())
    portal.wait_ready()
