"""The worker dies before and after every call and every publish of a story, and every answer is lost once.

Each point must lead to the same end: as declared, the same bytes, nothing left over, nothing twice, no operation open.
"""

import os
from collections.abc import Callable

import pytest

from tests.crash.matrix import try_story
from tests.crash.stories import STORIES, Story
from tests.crash.world import World

SHOWN = 5
# of all points every how many-th is tried; 1 is what a change must pass
STRIDE = int(os.environ.get("CYCLOUD_CRASH_STRIDE", "1"))


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_every_point_leads_to_the_same_end(
    world: World, story: Story, record_property: Callable[[str, object], None]
) -> None:
    tally = try_story(world, story, STRIDE)
    tried = {str(mode): count for mode, count in tally.tried.items()}
    record_property(
        "crash_points", {"story": story.name, "different worlds": tally.followed, **tried}
    )
    total = sum(tried.values())
    assert total
    shown = "\n".join(tally.failures[:SHOWN])
    assert not tally.failures, f"{len(tally.failures)} of {total} points failed\n{shown}"
