"""Create to RUNNING and move to RUNNING on the real clouds: through the portal, and by a direct script.

The two take turns. Both end up with the same objects, look at a state under way every half second and use the
same credentials. The portal looks before it acts (snapshots, quotas, what every cluster shows); the script does not.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.e2e.harness.clouds import RealCloud
from tests.load.direct import DirectMachine, Networks
from tests.load.figures import Row, note, p50, show
from tests.load.real import PortalMachine, World, world

CIDR = "10.0.2.0/24"
NETWORK = "cycloud-bench"
GOAL = "≤ 1.15"


def run(folder: Path, repeat: int) -> None:
    names = ("create, ours", "create, direct", "move, ours", "move, direct")
    samples: dict[str, list[float]] = {name: [] for name in names}
    with world(folder) as found, networks(found.clouds) as ids:
        # once untimed: tokens, caches, the portal's network in each cloud
        for index in range(repeat + 1):
            times = (*_ours(found, index), *_direct(found, ids, index))
            note(f"{'untimed' if index == 0 else index}: " + _told(times))
            if index == 0:
                continue
            create, move, direct_create, direct_move = times
            for name, seconds in zip(
                names, (create, direct_create, move, direct_move), strict=True
            ):
                samples[name].append(seconds)
    middle = {name: p50(values) for name, values in samples.items()}
    rows = [Row(f"{name} (p50 of {repeat})", value, "s") for name, value in middle.items()]
    for verb in ("create", "move"):
        ratio = middle[f"{verb}, ours"] / middle[f"{verb}, direct"]
        rows.append(Row(f"{verb}, ours : direct", ratio, "", GOAL))
    show("moves", rows, samples)


def _told(times: tuple[float, ...]) -> str:
    words = ("create", "move", "direct create", "direct move")
    return ", ".join(f"{word} {seconds:.1f} s" for word, seconds in zip(words, times, strict=True))


def _ours(found: World, index: int) -> tuple[float, float]:
    machine = PortalMachine(found, f"bench-{index}", f"10.0.1.{20 + index}")
    created = machine.create_seconds("m7a.small")
    moved = machine.move_seconds("m8a.small")
    machine.remove()
    return created, moved


def _direct(found: World, ids: Networks, index: int) -> tuple[float, float]:
    facts = {cloud.name: cloud for cloud in found.facts.clouds}
    machine = DirectMachine(found.clouds, facts, ids, f"direct-{index}", f"10.0.2.{20 + index}")
    with ExitStack() as stack:
        stack.callback(machine.remove)
        return machine.create_seconds("a", "m7a.small"), machine.move_seconds("b", "m8a.small")


@contextmanager
def networks(clouds: dict[str, RealCloud]) -> Iterator[Networks]:
    """A network of the script's own in each cloud."""
    found = {name: cloud.network_ids(CIDR, NETWORK) for name, cloud in clouds.items()}
    try:
        yield found
    finally:
        for name, (network, _) in found.items():
            clouds[name].sdk.network.delete_network(network)
