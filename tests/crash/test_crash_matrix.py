"""The worker dies before and after every call and every publish of a story, and every answer is lost once.

Each point must lead to the same end: as declared, the same bytes, nothing left over, nothing twice, no operation open.
"""

import os
from collections.abc import Callable

import pytest

from tests.crash.matrix import Share, try_story
from tests.crash.stories import STORIES, Story
from tests.crash.world import World

SHOWN = 5
STRIDE = int(os.environ.get("CYCLOUD_CRASH_STRIDE", "1"))


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("story", "part"),
    [pytest.param(s, part, id=f"{s.name}-{part}") for s in STORIES for part in range(s.parts)],
)
def test_every_point_leads_to_the_same_end(
    world: World, story: Story, part: int, record_property: Callable[[str, object], None]
) -> None:
    tally = try_story(world, story, Share(part, story.parts, STRIDE))
    tried = {str(mode): count for mode, count in tally.tried.items()}
    record_property(
        "crash_points", {"story": story.name, "different worlds": tally.followed, **tried}
    )
    total = sum(tried.values())
    assert total
    shown = "\n".join(tally.failures[:SHOWN])
    assert not tally.failures, f"{len(tally.failures)} of {total} points failed\n{shown}"
