"""What a benchmark hands back, and how it is printed: a table for people, one line of JSON for programs."""

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table. ``goal``: in words, empty where there is none."""

    figure: str
    value: float
    unit: str
    goal: str = ""


def p50(samples: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(samples)


def show(name: str, rows: Sequence[Row], samples: dict[str, list[float]] | None = None) -> None:
    """Print the table, then the same as one line of JSON with the single samples, if there are any."""
    width = max(len(row.figure) for row in rows)
    print(f"\n{name}")
    for row in rows:
        goal = f"   goal: {row.goal}" if row.goal else ""
        print(f"  {row.figure:<{width}}  {_number(row.value):>10} {row.unit:<6}{goal}".rstrip())
    rounded = {k: [round(value, 3) for value in v] for k, v in (samples or {}).items()}
    document = {"benchmark": name, "rows": [asdict(row) for row in rows], "samples": rounded}
    print(json.dumps(document), flush=True)


def note(text: str) -> None:
    """Print one line about what is going on."""
    print(f"  … {text}", flush=True)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
