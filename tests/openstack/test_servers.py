"""Servers as Nova shows them in its two ways: in a listing and alone."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from cycloud.openstack.connection import Json
from cycloud.openstack.observations import UID_KEY
from cycloud.openstack.servers import ServerCalls

FAULT = {"code": 500, "message": "No valid host was found. "}


class Nova:
    """Answers as recorded on 2025.1; ``alone`` is what GET /servers/ID shows, None for 404."""

    def __init__(self, listed: Json, alone: Json | None) -> None:
        self.listed, self.alone = listed, alone
        self.asked: list[str] = []

    def pages(
        self, service: str, verb: str, path: str, key: str, params: Mapping[str, str]
    ) -> Iterator[Json]:
        yield self.listed

    def get_or_none(self, service: str, verb: str, path: str, **options: Any) -> Json | None:
        self.asked.append(path)
        return None if self.alone is None else {"server": self.alone}


def calls_of(nova: Nova) -> ServerCalls:
    calls = ServerCalls()
    calls._connection = nova  # type: ignore[assignment]
    return calls


def server(status: str, **more: Any) -> Json:
    return {"id": "s-1", "status": status, "metadata": {UID_KEY: "u-1"}, **more}


def test_a_fault_that_the_listing_leaves_out_is_read_from_the_server_alone() -> None:
    nova = Nova(server("ERROR"), server("ERROR", fault=FAULT))
    (found,) = calls_of(nova).find_servers("u-1")
    assert (found.fault, found.fault_code) == ("No valid host was found. ", 500)
    assert nova.asked == ["/servers/s-1"]


def test_a_server_gone_meanwhile_is_shown_as_listed() -> None:
    (found,) = calls_of(Nova(server("ERROR"), None)).find_servers("u-1")
    assert (found.status, found.fault) == ("ERROR", "")


@pytest.mark.parametrize("listed", [server("ACTIVE"), server("ERROR", fault=FAULT)])
def test_no_second_call_is_made_where_the_listing_says_all(listed: Json) -> None:
    nova = Nova(listed, None)
    calls_of(nova).find_servers("u-1")
    assert nova.asked == []
