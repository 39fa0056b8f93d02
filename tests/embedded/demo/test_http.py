import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from cycloud.embedded.demo.failure import DemoFailed
from cycloud.embedded.demo.http import JsonClient
from cycloud.embedded.demo.portal import PortalClient, condition
from cycloud.embedded.demo.rest_face import RestFace


class Portal(BaseHTTPRequestHandler):
    """Answers from a table of (method, path) and keeps what was asked."""

    answers: ClassVar[dict[tuple[str, str], list[tuple[int, object]]]] = {}
    asked: ClassVar[list[tuple[str, str, object]]] = []

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length)) if length else None
        self.asked.append((self.command, self.path, body))
        queue = self.answers[self.command, self.path]
        status, value = queue.pop(0) if len(queue) > 1 else queue[0]
        raw = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    Portal.answers.clear()
    Portal.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Portal) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_refusal_is_told_in_the_portals_own_words(url: str) -> None:
    error = {"code": 400, "status": "FAILED_PRECONDITION", "message": "web-1 is protected."}
    Portal.answers["DELETE", "/v1/projects/demo/instances/web-1"] = [(400, {"error": error})]
    with pytest.raises(DemoFailed, match=r"refused: 400 web-1 is protected\."):
        PortalClient(RestFace(url, "cyc_x"), "demo").delete("projects/demo/instances/web-1")


def test_an_operation_is_awaited_and_its_failure_ends_the_story(url: str) -> None:
    name = "projects/demo/operations/1"
    Portal.answers["POST", "/v1/projects/demo/volumes?volume_id=v"] = [
        (200, {"name": name, "done": False})
    ]
    Portal.answers["GET", f"/v1/{name}"] = [
        (200, {"name": name, "done": False}),
        (200, {"name": name, "done": True, "error": {"message": "No space is left."}}),
    ]
    with pytest.raises(DemoFailed, match="No space is left"):
        PortalClient(RestFace(url, "cyc_x"), "demo").create(
            "volumes", "volume_id", "v", {"size": "1Gi"}
        )
    assert [asked[:2] for asked in Portal.asked].count(("GET", f"/v1/{name}")) == 2


def test_an_update_names_the_fields_that_it_changes(url: str) -> None:
    path = "/v1/projects/demo/instances/web-1?update_mask=instance_type"
    Portal.answers["PATCH", path] = [(200, {"name": "o", "done": False})]
    portal = PortalClient(RestFace(url, "cyc_x"), "demo")
    portal.update("projects/demo/instances/web-1", {"instance_type": "m8a.medium"})
    assert Portal.asked == [("PATCH", path, {"instance_type": "m8a.medium"})]


def test_what_is_not_there_is_none(url: str) -> None:
    Portal.answers["GET", "/v1/projects/demo/instances/web-1"] = [(404, {"error": {}})]
    portal = PortalClient(RestFace(url, "cyc_x"), "demo")
    assert portal.find("projects/demo/instances/web-1") is None
    portal.wait_gone("projects/demo/instances/web-1")


def test_nobody_there_says_how_to_start_the_portal() -> None:
    with pytest.raises(DemoFailed, match="make up"):
        JsonClient("http://127.0.0.1:9").call("GET", "/")


@pytest.mark.parametrize("address", ["127.0.0.1:8000", "https://cloud.example.com", "ftp://x"])
def test_only_http_addresses_are_taken(address: str) -> None:
    with pytest.raises(DemoFailed, match="http:// address"):
        JsonClient(address)


def test_a_condition_is_found_by_its_type() -> None:
    resource = {"conditions": [{"type": "Ready", "status": "True"}, {"type": "UpToDate"}]}
    assert condition(resource, "Ready") == {"type": "Ready", "status": "True"}
    assert condition(resource, "Other") == {}
