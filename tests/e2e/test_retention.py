"""Deleted data is kept to the second that was promised, and not a byte of it longer."""

import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from tests.e2e.harness import pool
from tests.e2e.harness.clouds import UID_KEY, RealCloud, wait_for
from tests.e2e.harness.rest import ApiError, Resource, Rest
from tests.e2e.harness.seed import IMAGE, PARENT, SHORT_VOLUME_TYPE, ZONE

NAME = f"{PARENT}/volumes/kept-for-a-while"
# after the purge time: a poll, a pass, and Cinder's delete
PURGE_SECONDS = 30


@pytest.fixture
def volume(user: Rest, clouds: dict[str, RealCloud]) -> Iterator[Resource]:
    """A volume of the type with the short retention, with bytes of its own."""
    body = {
        "volume_type": SHORT_VOLUME_TYPE,
        "availability_zone": ZONE,
        "size": "1Gi",
        "image": IMAGE,
    }
    user.create(PARENT, "volumes", NAME.rpartition("/")[2], body)
    found = user.wait_ready(NAME)
    yield found
    if user.find(NAME) is not None:
        user.delete(NAME)
        user.wait_gone(NAME)


def _image_of(volume: Resource, clouds: dict[str, RealCloud]) -> tuple[RealCloud, str]:
    found = [
        (cloud, record.id)
        for cloud in clouds.values()
        for record in cloud.volumes()
        if record.metadata.get(UID_KEY) == volume["uid"]
    ]
    assert len(found) == 1, found
    return found[0]


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def test_undelete_in_time_brings_the_same_bytes_back_and_the_purge_comes_not_a_second_early(
    user: Rest, clouds: dict[str, RealCloud], volume: Resource
) -> None:
    cloud, provider_id = _image_of(volume, clouds)
    image = pool.image_name(provider_id)
    pool.write(image, 7 << 20, "kept for a while")
    digest, identity = pool.digest(image), pool.info(image)["id"]

    user.delete(NAME)
    first = user.get(NAME)
    assert _seconds(first["purge_time"]) > time.time() + 20
    user.verb(NAME, "undelete")
    back = user.wait_ready(NAME)
    assert (back["uid"], back["delete_time"], back["purge_time"]) == (volume["uid"], None, None)

    # the purge time that was taken back passes: nothing happens
    _watch(cloud, provider_id, until=_seconds(first["purge_time"]) + 5)
    assert pool.digest(image) == digest
    assert pool.info(image)["id"] == identity
    assert user.get(NAME)["delete_time"] is None

    user.delete(NAME)
    purge_time = _seconds(user.get(NAME)["purge_time"])
    assert purge_time > time.time()
    _watch(cloud, provider_id, until=purge_time)
    left = purge_time + PURGE_SECONDS - time.time()
    wait_for(
        "end of the record", lambda: cloud.volume_status(provider_id), lambda s: s is None, left
    )
    wait_for("end of the image", pool.names, lambda names: image not in names, 5)
    user.wait_gone(NAME, 10)
    with pytest.raises(ApiError) as refusal:
        user.verb(NAME, "undelete")
    assert refusal.value.status == 404


def _watch(cloud: RealCloud, provider_id: str, until: float) -> None:
    """Assert at every look up to ``until`` that record and image are there."""
    looks = 0
    while True:
        status, names = cloud.volume_status(provider_id), pool.names()
        seen = time.time()
        if seen >= until:
            break
        assert status == "available", f"{until - seen:.1f} s early: {status}"
        assert pool.image_name(provider_id) in names, f"{until - seen:.1f} s early"
        looks += 1
    assert looks > 3
