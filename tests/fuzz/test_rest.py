"""Senseless requests to every method of REST: a clear refusal, or what was asked for, but never a server error."""

import os
from typing import Any
from urllib.parse import quote, quote_from_bytes, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cycloud.core.aip.openapi.examples import read_examples
from cycloud.core.aip.openapi.operations import query_fields
from tests.factories.rest import RestClient
from tests.fuzz.answers import check
from tests.fuzz.requests import (
    METHODS,
    MONSTERS,
    WITH_BODY,
    WITH_PATH,
    WITH_QUERY,
    bodies,
    path_of,
    raw_bodies,
    texts,
)
from tests.schema.world import Seeded, fill_world

# `make test` tries few; CYCLOUD_FUZZ_EXAMPLES=2000 many
few = settings(
    max_examples=int(os.environ.get("CYCLOUD_FUZZ_EXAMPLES", "100")),
    deadline=None,
    derandomize="CYCLOUD_FUZZ_EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
TYPES = [
    "",
    "application/json; charset=utf-16",
    "application/json; charset=nonsense",
    "application/json;;;",
    "APPLICATION/JSON",
    "application/json, text/plain",
    "text/plain",
    "multipart/form-data",
    "multipart/form-data; boundary=" + "a" * 200,
    "application/x-www-form-urlencoded",
    "application/x-protobuf",
    "\xff\xfe",
    "a" * 3000,
]
VERBS = ["OPTIONS", "TRACE", "CONNECT", "PROPFIND", "QUERY", "G", "A" * 300, "DELETE "]
HEADERS = {
    "Authorization": ["Bearer", "Bearer  ", "Basic YTpi", "Bearer \xff", "bearer x y", "B" * 9000],
    "If-Match": ['"a", "b"', "*", "W/", "é", "a" * 5000, '"'],
    "If-None-Match": ["*", ",,,", "W/W/W/", "a" * 5000],
    "X-Request-Id": ["a b", "\xff", "a" * 5000, "../../x"],
    "Accept-Language": [";q=", "ja;q=x", ",".join(["ja;q=0.1"] * 500), "\xff", "*"],
    "Accept": ["text/html", "application/xml;q=0.9", "nonsense", "*/*;q=0"],
    "Content-Encoding": ["gzip", "br"],
    "Host": ["", "a b", "evil.example", "127.0.0.1:99999", "[::1"],
    "Cookie": ["sessionid=\xff", "csrftoken=" + "a" * 5000, "a;;;=b"],
    "X-Forwarded-For": ["x" * 5000, "\0"],
}


@pytest.fixture
def seeded(db: None) -> Seeded:
    return fill_world()


@pytest.fixture
def client(seeded: Seeded) -> RestClient:
    return RestClient(seeded.operator)


@few
@given(data=st.data())
def test_one_wrong_field(seeded: Seeded, client: RestClient, data: st.DataObject) -> None:
    method = data.draw(st.sampled_from(WITH_BODY))
    body = data.draw(bodies(method))
    query = "?validate_only=true" if method.binding.body_field else ""
    check(client(method.http.upper(), path_of(method, seeded) + query, raw=body), body)


@few
@given(method=st.sampled_from(WITH_BODY), body=raw_bodies)
def test_no_json_or_no_object(seeded: Seeded, client: RestClient, method: Any, body: bytes) -> None:
    check(client(method.http.upper(), path_of(method, seeded), raw=body), body)


@few
@given(data=st.data())
def test_strange_query_parameters(seeded: Seeded, client: RestClient, data: st.DataObject) -> None:
    method = data.draw(st.sampled_from(WITH_QUERY))
    name = data.draw(st.sampled_from([field.name for field in query_fields(method)]))
    value = data.draw(
        st.one_of(
            texts.map(lambda text: quote(text, errors="surrogatepass")),
            st.binary(max_size=20).map(quote_from_bytes),
            st.sampled_from(["9" * 5000, "-1", "1e9", "true", "TRUE", "%", "%zz", "a&a", "[]"]),
        )
    )
    query = f"{name}={value}" + ("&validate_only=true" if method.http != "get" else "")
    body = read_examples().request(method)
    check(client(method.http.upper(), f"{path_of(method, seeded)}?{query}", body), query)


@few
@given(
    method=st.sampled_from([m for m in METHODS if m.http == "get" and "List" in m.name]),
    text=st.text("abcdefghijklmnopqrstuvwxyz_.:=<>!()\"'-*, 0123456789ANDORNOT\\é", max_size=40),
    name=st.sampled_from(["filter", "order_by", "page_token", "read_mask"]),
)
def test_strange_filters_orders_tokens_and_masks(
    seeded: Seeded, client: RestClient, method: Any, text: str, name: str
) -> None:
    query = urlencode({name: text})
    check(client("GET", f"{path_of(method, seeded)}?{query}"), query)


@few
@given(data=st.data())
def test_strange_paths(seeded: Seeded, client: RestClient, data: st.DataObject) -> None:
    method = data.draw(st.sampled_from(WITH_PATH))
    segment = data.draw(
        st.one_of(
            texts.map(lambda text: quote(text, safe="", errors="surrogatepass")),
            st.binary(min_size=1, max_size=20).map(quote_from_bytes),
            st.sampled_from(
                ["a" * 9000, "..", ".", "%2e%2e", "%00", "%2F", ":", "a:b:c", "~", "😀"]
            ),
        )
    )
    ids = {name: seeded.ids[name][0] for name in method.parameters}
    ids[data.draw(st.sampled_from(method.parameters))] = segment
    path = method.path.removeprefix("/v1/").format(**ids)
    check(client(method.http.upper(), path, read_examples().request(method)), path)


@pytest.mark.parametrize("name", MONSTERS)
def test_monstrous_bodies(seeded: Seeded, client: RestClient, name: str) -> None:
    for path, http in (
        ("projects/demo/instances?instance_id=x", "POST"),
        ("projects/demo", "PATCH"),
    ):
        answer = client(http, path, raw=MONSTERS[name]())
        check(answer, name)
        assert 400 <= answer.status < 500, name
    assert client("GET", "projects/demo").json["display_name"] == ""


def test_strange_content_types(seeded: Seeded, client: RestClient) -> None:
    for kind in TYPES:
        answer = client("POST", "projects/demo/vpcs?vpc_id=x", raw=b"\xff{", content_type=kind)
        check(answer, kind)
        assert answer.status in (400, 415), kind


def test_strange_http_methods(seeded: Seeded, client: RestClient) -> None:
    for http in VERBS:
        for path in ("projects", "projects/demo", "projects/demo/instances/web-1:start", "none"):
            answer = client(http, path)
            check(answer, (http, path))
            assert answer.status in (400, 404, 405)


@pytest.mark.parametrize("name", HEADERS)
def test_strange_headers(seeded: Seeded, client: RestClient, name: str) -> None:
    for value in HEADERS[name]:
        for http, path in (("GET", "projects/demo"), ("PATCH", "projects/demo?validate_only=true")):
            answer = client(http, path, {} if http == "PATCH" else None, headers={name: value})
            if answer.status != 304:
                check(answer, (name, value))
