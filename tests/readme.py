"""Reading the code blocks of a Markdown file."""

import re
from pathlib import Path

_BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks_of(path: Path) -> list[tuple[str, str]]:
    """Return (info string, code) of each fenced block, in order."""
    return [(m["info"].strip(), m["code"]) for m in _BLOCK.finditer(path.read_text())]


def tour_of(path: Path) -> str:
    """Return the commands of all blocks marked ``sh tour``, as one script."""
    return "\n".join(code for info, code in blocks_of(path) if info == "sh tour")
