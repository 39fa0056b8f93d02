"""Walks through one story and tries every point of its passes.

Before each pass the world is remembered. For each point the pass is run with the hit, the story goes on to its end, the
end is compared with that of the story without a hit, and the world is taken back. So a point costs only the rest of the
story after it, and is the same as a story of its own that is hit there. Where hits leave equal worlds, one is followed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from cycloud.core.reconcile.leases import Work
from tests.crash.end_state import State, differences, end_state, not_as_declared, ran_twice
from tests.crash.fingerprint import fingerprint, reproducible, settled_fingerprint
from tests.crash.stories import Step, Story
from tests.crash.worker import Event, Hit, Mode
from tests.crash.world import HORIZON, World
from tests.support.engine import describe


@dataclass
class Tally:
    """How many points were met, tried and followed to the end; what went wrong at which."""

    met: int = 0
    tried: dict[Mode, int] = field(default_factory=lambda: dict.fromkeys(Mode, 0))
    followed: int = 0
    failures: list[str] = field(default_factory=list)


@dataclass
class _Pass:
    """One pass of the story. ``ends``: what was wrong at the end of each world that a hit left.

    ``settled``: the same by settled world, kept for all passes of one step.
    """

    number: int
    work: Work
    rest: tuple[Step, ...]
    turns_back: bool
    expected: State
    ignored: frozenset[str]
    settled: dict[tuple[int, str], list[str]]
    ends: dict[str, list[str]] = field(default_factory=dict)


def try_story(world: World, story: Story, stride: int = 1) -> Tally:
    """Try every ``stride``-th point of the story."""
    tally = Tally()
    story.prepare(world)
    world.settle()
    number = 0
    for place, step in enumerate(story.steps):
        rest = story.turn_back or story.steps[place + 1 :]
        expected = _expected(world, (step, *rest))
        settled: dict[tuple[int, str], list[str]] = {}
        step(world)
        until = world.clouds.clock.time + HORIZON
        while (work := world.claim(until)) is not None:
            number += 1
            turns = bool(story.turn_back)
            this = _Pass(number, work, rest, turns, expected, story.ignored, settled)
            _try_pass(world, story, this, stride, tally)
            world.worker.run(work)
            world.check_bytes()
    return tally


def _expected(world: World, steps: tuple[Step, ...]) -> State:
    """The end of the story when nothing goes wrong."""
    with world.branch():
        for step in steps:
            step(world)
            world.settle()
        assert not (wrong := not_as_declared(world)), wrong
        return end_state(world)


def _try_pass(world: World, story: Story, this: _Pass, stride: int, tally: Tally) -> None:
    with world.branch():
        events = world.worker.run(replace(this.work))
    for hit, event in _points(events):
        tally.met += 1
        if (tally.met - 1) % stride:
            continue
        tally.tried[hit.mode] += 1
        with world.branch(), reproducible(this.number):
            found = _try_point(world, this, hit, tally)
        if found:
            what = f"{this.work.controller}, pass {this.number}, {hit.mode} {event} ({hit.place})"
            tally.failures.append(f"{story.name}: {what}:\n  " + "\n  ".join(found))


def _points(events: tuple[Event, ...]) -> Iterator[tuple[Hit, Event]]:
    """All hits of a pass. A publish has no answer that could be lost."""
    for place, event in enumerate(events):
        for mode in Mode:
            if event.is_call or mode is not Mode.LOST_ANSWER:
                yield Hit(place, mode), event


def _try_point(world: World, this: _Pass, hit: Hit, tally: Tally) -> list[str]:
    """Sentences about what went wrong."""
    world.worker.run(replace(this.work), hit)
    if not world.worker.struck:
        return ["the pass did not come to this point again"]
    left = fingerprint(world.site)
    if left not in this.ends:
        tally.followed += 1
        this.ends[left] = _follow(world, this)
    return this.ends[left]


def _follow(world: World, this: _Pass) -> list[str]:
    """Let the lease run out and the story go on; sentences about what is wrong at its end."""
    rest = list(this.rest)
    try:
        world.check_bytes()
        if this.turns_back:
            rest.pop(0)(world)
        world.outlive_lease()
        world.settle()
        return _go_on(world, this, rest)
    except AssertionError as error:
        return [str(error)]


def _go_on(world: World, this: _Pass, rest: list[Step]) -> list[str]:
    """From a settled world to the end, unless an equal one was followed before."""
    reached = (len(rest), settled_fingerprint(world.site))
    if reached not in this.settled:
        if rest:
            rest[0](world)
            world.settle()
            found = _go_on(world, this, rest[1:])
        else:
            found = differences(this.expected, end_state(world), this.ignored) + ran_twice(world)
            found += [describe()] if found else []
        this.settled[reached] = found
    return this.settled[reached]
