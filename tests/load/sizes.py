"""The time of a move with volumes of 1 GiB and of 20 GiB: no byte is copied, so it is to be the same."""

from pathlib import Path

from tests.load.figures import Row, note, p50, show
from tests.load.real import PortalMachine, world

SIZES_GIB = (1, 20)
TYPES = ("m8a.small", "m7a.small")  # there and back


def run(folder: Path, repeat: int) -> None:
    samples: dict[str, list[float]] = {f"{size} GiB": [] for size in SIZES_GIB}
    with world(folder) as found:
        machines = [
            PortalMachine(found, f"bench-{size}", f"10.0.1.{20 + size}", size) for size in SIZES_GIB
        ]
        for machine in machines:
            machine.create_seconds("m7a.small")
        for index in range(repeat + 1):
            for machine in machines:
                seconds = machine.move_seconds(TYPES[index % 2])
                if index:  # the first one makes the portal's network in the other cloud
                    samples[f"{machine.size_gib} GiB"].append(seconds)
            note(f"move {index} of {repeat} done")
        for machine in machines:
            machine.remove()
    small, large = (p50(values) for values in samples.values())
    show(
        "sizes",
        [
            Row(f"move with two volumes of 1 GiB (p50 of {repeat})", small, "s"),
            Row(f"move with two volumes of 20 GiB (p50 of {repeat})", large, "s"),
            Row("20 GiB : 1 GiB", large / small, "", "1 (equal)"),
        ],
        samples,
    )
