import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from cycloud.embedded.transport import Channel

MESSAGES = 300
READERS = 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("queue", "control"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def channel(folder: Path) -> Iterator[Channel]:
    with connection(folder) as opened:
        yield channel_of(opened)


def channel_of(opened: Connection) -> Channel:
    channel = opened.channel()
    assert isinstance(channel, Channel)
    return channel


def connection(folder: Path) -> Connection:
    return Connection(
        "filesystem://localhost",
        transport="cycloud.embedded.transport:Transport",
        transport_options={
            "data_folder_in": str(folder / "queue"),
            "data_folder_out": str(folder / "queue"),
            "control_folder": str(folder / "control"),
        },
    )


def test_messages_come_in_the_order_in_which_they_were_sent(channel: Channel) -> None:
    for number in range(20):
        channel._put("cycloud", {"number": number})
    assert [channel._get("cycloud")["number"] for _ in range(20)] == list(range(20))
    with pytest.raises(Empty):
        channel._get("cycloud")


def test_a_queue_gets_only_its_own_messages(channel: Channel) -> None:
    channel._put("cluster.kvm-gen7", {"for": "gen7"})
    with pytest.raises(Empty):
        channel._get("cycloud")
    with pytest.raises(Empty):
        channel._get("kvm-gen7")
    assert channel._get("cluster.kvm-gen7") == {"for": "gen7"}


def test_nothing_is_left_behind(channel: Channel, folder: Path) -> None:
    channel._put("cycloud", {})
    channel._get("cycloud")
    assert list((folder / "queue").iterdir()) == []


def test_with_many_readers_and_writers_each_message_is_read_whole_and_once(folder: Path) -> None:
    read: list[int] = []
    failures: list[BaseException] = []
    written = threading.Event()

    def write() -> None:
        with connection(folder) as opened:
            channel = channel_of(opened)
            for number in range(MESSAGES):
                channel._put("cycloud", {"number": number, "filler": "x" * 4096})
        written.set()

    def read_all() -> None:
        with connection(folder) as opened:
            channel = channel_of(opened)
            try:
                while True:
                    finished = written.is_set()
                    try:
                        read.append(channel._get("cycloud")["number"])
                    except Empty:
                        if finished:
                            return
            except ValueError as error:
                failures.append(error)

    threads = [threading.Thread(target=write)]
    threads += [threading.Thread(target=read_all) for _ in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert sorted(read) == list(range(MESSAGES))
