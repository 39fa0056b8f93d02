"""What the crash tests print at the end of a run; here, since only this file is read with every selection of tests."""

from collections import Counter

from _pytest.terminal import TerminalReporter


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print how many points each story was cut off at, from the reports of all processes."""
    stories: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, ()):
            for name, value in getattr(report, "user_properties", ()):
                if name == "crash_points":
                    counts = {k: n for k, n in value.items() if k != "story"}
                    stories.setdefault(value["story"], Counter()).update(counts)
    if not stories:
        return
    terminalreporter.section("crash points tried")
    for story, counts in [*sorted(stories.items()), ("all", sum(stories.values(), Counter()))]:
        modes = {mode: n for mode, n in counts.items() if mode != "different worlds"}
        words = ", ".join(f"{mode} {n}" for mode, n in modes.items())
        worlds = counts.get("different worlds")
        left = "" if worlds is None else f", which left {worlds} different worlds"
        terminalreporter.write_line(f"{story}: {sum(modes.values())} ({words}){left}")
