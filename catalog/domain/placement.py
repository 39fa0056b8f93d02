"""Which placement of a type is used. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar
from uuid import UUID


@dataclass(frozen=True)
class Offer:
    """One placement: where it is, and in which state its cluster is."""

    zone: str
    cluster: UUID
    cluster_state: str


class NoPlacement(Enum):
    """Why nothing can be placed."""

    NOT_OFFERED = "the type is not offered in this zone"
    NOT_ACCEPTING = "the cluster takes nothing new at present"


O = TypeVar("O", bound=Offer)  # noqa: E741


def choose_placement(
    offers: Iterable[O], zone: str, current: UUID | None = None
) -> O | NoPlacement:
    """Return the offer to use in ``zone``.

    ==================  ======================  ==================
    cluster's state     it is there already     it would be new
    ==================  ======================  ==================
    Active              used                    used
    Cordoned, Draining  used (it stays)         NOT_ACCEPTING
    Retired             NOT_ACCEPTING           NOT_ACCEPTING
    ==================  ======================  ==================

    ``current``: the cluster in which the thing is now. It comes first, then Active ones by uid.
    """
    here = [offer for offer in offers if offer.zone == zone]
    if not here:
        return NoPlacement.NOT_OFFERED
    usable = [
        offer
        for offer in here
        if offer.cluster_state == "Active"
        or (offer.cluster == current and offer.cluster_state in {"Cordoned", "Draining"})
    ]
    if not usable:
        return NoPlacement.NOT_ACCEPTING
    return min(usable, key=lambda offer: (offer.cluster != current, offer.cluster))
