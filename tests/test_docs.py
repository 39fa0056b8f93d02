"""The documents say what is there."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.readme import blocks_of, tour_of

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    path
    for pattern in ("*.md", "docs/**/*.md", "deploy/*.md")
    for path in sorted(ROOT.glob(pattern))
]
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
_TARGET = re.compile(r"\bmake ([a-z][a-z0-9-]*)\b")


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z0-9-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("path", DOCUMENTS, ids=ids)
def test_links_lead_to_files(path: Path) -> None:
    missing = [t for t in _LINK.findall(path.read_text()) if not (path.parent / t).exists()]
    assert missing == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=ids)
def test_commands_of_make_exist(path: Path) -> None:
    text = path.read_text()
    code: list[str] = re.findall(r"`([^`\n]+)`", text)
    code += [block for _, block in blocks_of(path)]
    named = {target for span in code for target in _TARGET.findall(span)}
    assert named - targets() == set()


def test_help_lists_every_target_that_people_call() -> None:
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    wanted = "setup up test check fmt lint types contracts migrations cover e2e bench lock"
    for target in f"{wanted} testbed-up testbed-down".split():
        assert re.search(rf"^  make {target} +\S", shown, re.MULTILINE), target


def test_settings_from_the_environment_are_all_described() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "cycloud/settings").glob("*.py"))
    names = set(re.findall(r"env\.\w+\(\s*\"([A-Z0-9_]+)\"", sources))
    text = (ROOT / "docs/operations.md").read_text()
    assert {name for name in names if f"`{name}`" not in text} - {
        "CYCLOUD_TEST_DATABASE_URL",
        "CYCLOUD_TEST_SQLITE",
    } == set()


def test_the_first_command_of_the_readme_is_make_up() -> None:
    commands = [code.strip() for info, code in blocks_of(ROOT / "README.md") if info == "sh"]
    assert commands[0] == "make up"
    assert "make test" in commands


def test_the_tour_covers_the_whole_story() -> None:
    tour = tour_of(ROOT / "README.md")
    steps = [
        "POST 'instances",
        "until_shows instances",
        "PATCH",
        ":stop",
        ":start",
        "DELETE",
        ":undelete",
    ]
    places = [tour.index(step) for step in steps]
    assert places == sorted(places)
