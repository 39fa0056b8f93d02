"""docs/iam.md shows the table of permissions as it is."""

import re
from pathlib import Path

from django.conf import settings

from cycloud.core.iam.permissions import PERMISSIONS, Holder


def shown() -> dict[str, Holder]:
    text = (Path(settings.BASE_DIR) / "docs" / "iam.md").read_text()
    table = text.split("<!-- permissions -->")[1].split("<!-- /permissions -->")[0]
    head, _, *rows = [line.strip("| ").split("|") for line in table.strip().splitlines()]
    holders = [Holder(word.strip()) for word in head[1:]]
    found = {}
    for name, *cells in ([cell.strip() for cell in row] for row in rows):
        for holder, cell in zip(holders, cells, strict=False):
            for method in re.findall(r"`(\w+)`", cell):
                found[f"{name.strip('`')}.{method}"] = holder
    return found


def test_the_guide_shows_every_permission_and_who_has_it() -> None:
    assert shown() == dict(PERMISSIONS)
