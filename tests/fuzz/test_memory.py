"""However often senseless requests come, nothing of them is kept."""

import gc
import tracemalloc

import pytest

from tests.factories.rest import RestClient
from tests.fuzz.requests import MONSTERS
from tests.schema.world import fill_world

# rounds before the first look, in which caches fill, and after it
WARM_UP, ROUNDS = 2, 2
# what the rounds after the first look may leave altogether; one body of a round is 10 MB
MOST_BYTES = 300_000
PATHS = {
    "GET": [
        "projects/%00",
        "projects/" + "a" * 5000,
        "projects/demo/instances?filter=" + "(" * 500,
        "projects/demo/instances?order_by=" + "a," * 500,
        "projects/demo/instances?page_token=" + "A" * 4000,
        "projects/demo/instances?read_mask=" + "a.b," * 500,
    ],
    "PROPFIND": ["projects"],
}


@pytest.mark.django_db
def test_memory_does_not_grow_over_rounds() -> None:
    seeded = fill_world()
    client, stranger = RestClient(seeded.operator), RestClient("cyc_" + "x" * 40)

    def one_round(number: int) -> None:
        for make in MONSTERS.values():
            client("POST", "projects/demo/vpcs?vpc_id=x", raw=make())
        for http, paths in PATHS.items():
            for path in paths:
                client(http, path)
        stranger("GET", "projects")
        client("GET", f"projects/p{number}", headers={"X-Request-Id": f"r{number}"})

    for number in range(WARM_UP):
        one_round(number)
    tracemalloc.start()
    try:
        one_round(WARM_UP)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for number in range(WARM_UP + 1, WARM_UP + 1 + ROUNDS):
            one_round(number)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < MOST_BYTES, f"{grown} bytes more after {ROUNDS} rounds"


@pytest.mark.django_db
def test_what_a_body_held_goes_with_its_request() -> None:
    """It does not wait for Python's collector of rings, which many bodies do not make come sooner."""
    seeded = fill_world()
    client = RestClient(seeded.operator)
    body = MONSTERS["a hundred thousand keys"]()
    client("POST", "projects/demo/vpcs?vpc_id=x", raw=body)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        for _ in range(3):
            client("POST", "projects/demo/vpcs?vpc_id=x", raw=body)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        gc.enable()
    # the test's own client keeps the bytes that it sent; read as objects, one such body is 13 MB
    assert held < 3 * (len(body) + 500_000), f"{held} bytes are held after 3 requests"
