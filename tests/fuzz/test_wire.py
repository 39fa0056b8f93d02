"""Bytes that no client library sends, to a running portal: what is no HTTP ends, all else is refused in our way.

What is no HTTP at all is answered by the web server itself, in plain text, and is its own to test; here it must not
harm the requests after it.
"""

import http.client
import json
import socket

import pytest

from tests.fuzz.requests import MONSTERS
from tests.schema.portal import Portal

SECONDS = 30.0
# what one portal may grow by over four rounds; 70 MiB came of bodies that waited for the collector of rings
MOST_KIB = 48 * 1024
NO_HTTP = {
    "nothing": b"",
    "noise": bytes(range(256)) * 20,
    "a TLS hello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500,
    "half a request": b"POST /v1/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le",
    "a wrong length": b"POST /v1/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n{}",
    "two lengths": b"POST /v1/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n"
    b"Content-Length: 9\r\n\r\n{}",
    "length and chunks": b"POST /v1/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a wrong chunk": b"POST /v1/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "a header of 1 MB": b"GET /v1/projects HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 2**20 + b"\r\n\r\n",
    "a path of 1 MB": b"GET /v1/" + b"a" * 2**20 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "ten thousand headers": b"GET /v1/projects HTTP/1.1\r\nHost: a\r\n"
    + b"X: a\r\n" * 10_000
    + b"\r\n",
    "a NUL in a header": b"GET /v1/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\0b\r\n\r\n",
    "a space in a name": b"GET /v1/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nX y: a\r\n\r\n",
    "no host": b"GET /v1/projects HTTP/1.1\r\n\r\n",
    "HTTP/9": b"GET /v1/projects HTTP/9.9\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


def exchange(portal: Portal, sent: bytes) -> bytes:
    """Send bytes, end, and return what came until the portal closed the connection."""
    got = b""
    with socket.create_connection(("127.0.0.1", portal.port), timeout=SECONDS) as connection:
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                got += part
        except (BrokenPipeError, ConnectionResetError):
            # it did not want to hear the rest
            pass
    return got


def send(portal: Portal, method: str, path: str, body: bytes, **headers: str) -> tuple[int, bytes]:
    """Send a good request with any body; ``headers`` have underscores for hyphens."""
    connection = http.client.HTTPConnection("127.0.0.1", portal.port, timeout=SECONDS)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    token = {"Authorization": f"Bearer {portal.seeded.operator}"}
    try:
        connection.request(method, path, body, {**token, **given})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def assert_it_lives(portal: Portal) -> None:
    assert send(portal, "GET", "/v1/projects/demo", b"")[0] == 200


@pytest.mark.parametrize("name", NO_HTTP)
def test_what_is_no_http_ends_and_harms_nobody(portal: Portal, name: str) -> None:
    got = exchange(portal, NO_HTTP[name])
    status = got.partition(b" ")[2][:3]
    assert not got or b"400" <= status < b"500", got[:300]
    assert b"Traceback" not in got
    assert_it_lives(portal)


@pytest.mark.parametrize("name", MONSTERS)
def test_a_monstrous_body_is_refused_with_our_error(portal: Portal, name: str) -> None:
    status, body = send(
        portal, "POST", "/v1/projects/demo/vpcs", MONSTERS[name](), Content_Type="application/json"
    )
    assert 400 <= status < 500
    error = json.loads(body)["error"]
    assert error["code"] == status
    assert error["details"][0]["reason"] in ("INVALID_JSON", "INVALID_ARGUMENT", "BODY_TOO_LARGE")


def test_the_memory_of_the_portal_does_not_grow(portal: Portal) -> None:
    def one_round() -> None:
        for make in MONSTERS.values():
            send(portal, "POST", "/v1/projects/demo/vpcs", make(), Content_Type="application/json")
        for sent in NO_HTTP.values():
            exchange(portal, sent)

    for _ in range(2):
        one_round()
    before = portal.resident_kib()
    for _ in range(4):
        one_round()
    assert portal.resident_kib() - before < MOST_KIB


def test_nothing_of_all_this_was_a_server_error(portal: Portal) -> None:
    """The last test here: the portal's log has no traceback."""
    assert_it_lives(portal)
    assert "Traceback" not in portal.log.read_text()
