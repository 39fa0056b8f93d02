"""Running ``manage.py kubernetes`` in this process."""

import io

from django.core.management import call_command

__all__ = ["run"]


def run(*words: str, status: int = 0) -> str:
    """Run a subcommand, which must end with that status, and return what it printed."""
    out, ended = io.StringIO(), 0
    try:
        call_command("kubernetes", *words, stdout=out)
    except SystemExit as left:
        ended = int(left.code or 0)
    assert ended == status, out.getvalue()
    return out.getvalue()
