import os
from pathlib import Path

import pytest

from cycloud.embedded.lock import AlreadyRunning, only_one


def test_a_second_portal_on_the_same_data_is_refused_and_told_who_has_it(tmp_path: Path) -> None:
    lock = tmp_path / "up.lock"
    with only_one(lock):
        with pytest.raises(AlreadyRunning) as refusal, only_one(lock):
            pass
        assert f"process {os.getpid()}" in str(refusal.value)
        assert str(tmp_path) in str(refusal.value)


def test_the_lock_is_free_again_afterwards(tmp_path: Path) -> None:
    lock = tmp_path / "up.lock"
    for _ in range(2):
        with only_one(lock):
            assert int(lock.read_text()) == os.getpid()
