"""Outputs kept as files: what a person sees, with what differs from run to run taken out.

A test that shows something else fails with the difference. Look at it; where the new output is right, renew the files
with ``CYCLOUD_RENEW_EXPECTED=1 make e2e-kubernetes ARGS="-k kubectl"`` and look at ``git diff``.
"""

import difflib
import os
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "expected"
RENEW = "CYCLOUD_RENEW_EXPECTED"
_WORDS = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uid>"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "<time>"),
    (re.compile(r"\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b"), "<mac>"),
    (re.compile(r"(resourceVersion|Resource Version):(\s*)\"?\d+\"?"), r"\1:\2<version>"),
    (re.compile(r"/tmp/(LIVE|MERGED)-\d+"), r"/tmp/\1"),
    # an age, in a table or "(x3 over 12s)"
    (re.compile(r"(?<=\s)(\d+[dhms]){1,2}(?=\s|$|\))"), "<age>"),
)
_COLUMNS = re.compile(r"(?<=\S) {2,}")


def plain(text: str) -> str:
    """Take out ages, uids, times and versions, and the widths of columns that hang on them."""
    for pattern, word in _WORDS:
        text = pattern.sub(word, text)
    lines = (_COLUMNS.sub("   ", line).rstrip() for line in text.splitlines())
    return "\n".join(lines).strip() + "\n"


def check(name: str, text: str) -> None:
    """Compare an output with the file of that name; write it instead where the files are renewed."""
    path, found = FOLDER / f"{name}.txt", plain(text)
    if os.environ.get(RENEW):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found)
        return
    assert path.exists(), (
        f"{path} is not there yet; run once with {RENEW}=1 and look at it:\n{found}"
    )
    wanted = path.read_text()
    lines = difflib.unified_diff(
        wanted.splitlines(), found.splitlines(), str(path), "what was printed", lineterm=""
    )
    assert found == wanted, "\n".join(lines)
