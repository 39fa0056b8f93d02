"""How the tests of the hub watch."""

from collections.abc import Iterator
from itertools import islice

from cycloud.core.changes.events import Matches, WatchEvent
from cycloud.core.changes.hub import Hub, Subscription, WatchRequest
from cycloud.core.iam.models import Project


def allowed() -> None:
    """Stand for a check of rights that finds them."""


def watch(
    hub: Hub, project: Project, after: int | None = 0, matches: Matches | None = None
) -> Subscription:
    return hub.subscribe(
        WatchRequest(
            kinds=frozenset({"Vpc"}),
            projects=frozenset({project.pk}),
            check=allowed,
            after=after,
            matches=matches,
        )
    )


def take(events: Iterator[WatchEvent], count: int) -> list[tuple[str, int | None]]:
    return [(event.type.value, event.version) for event in islice(events, count)]
