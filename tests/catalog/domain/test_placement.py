from uuid import UUID

import pytest

from catalog.domain.placement import NoPlacement, Offer, choose_placement

A, B, C = (UUID(int=n) for n in (1, 2, 3))


def offer(cluster: UUID, state: str = "Active", zone: str = "z1") -> Offer:
    return Offer(zone, cluster, state)


@pytest.mark.parametrize(
    ("state", "new", "there"),
    [
        ("Active", True, True),
        ("Cordoned", False, True),
        ("Draining", False, True),
        ("Retired", False, False),
    ],
)
def test_what_a_clusters_state_allows(state: str, new: bool, there: bool) -> None:
    for current, allowed in ((None, new), (B, new), (A, there)):
        chosen = choose_placement([offer(A, state)], "z1", current)
        assert chosen == (offer(A, state) if allowed else NoPlacement.NOT_ACCEPTING)


def test_a_zone_without_an_offer_is_told_from_one_that_takes_nothing() -> None:
    assert choose_placement([offer(A)], "z2") is NoPlacement.NOT_OFFERED
    assert choose_placement([], "z1") is NoPlacement.NOT_OFFERED


def test_the_cluster_it_is_in_comes_first_then_the_order_is_fixed() -> None:
    offers = [offer(C), offer(B, "Cordoned"), offer(A)]
    assert choose_placement(offers, "z1") == offer(A)
    assert choose_placement(offers, "z1", C) == offer(C)
    assert choose_placement(offers, "z1", B) == offer(B, "Cordoned")
    assert choose_placement(reversed(offers), "z1") == offer(A)
