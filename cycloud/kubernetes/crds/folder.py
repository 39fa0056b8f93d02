"""The definitions as files, for GitOps and reviews: the same input gives the same bytes."""

from pathlib import Path
from typing import Final

import yaml

from cycloud.kubernetes.kinds import Json

__all__ = ["stale_in", "text_of", "write_to"]

_HEAD: Final = (
    "# Made by `make crds` of the protos and of */kubernetes/definitions*.py. Do not edit.\n"
)


class _Dumper(yaml.SafeDumper):
    """Without anchors: a schema that is used twice is written twice."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def text_of(definition: Json) -> str:
    """Return the file of one definition."""
    return _HEAD + yaml.dump(
        definition, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120
    )


def _texts(definitions: list[Json]) -> dict[str, str]:
    return {f"{item['metadata']['name']}.yaml": text_of(item) for item in definitions}


def write_to(folder: Path, definitions: list[Json]) -> None:
    """Write a file for each definition, and remove those that stand for none."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = _texts(definitions)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    for path in folder.glob("*.yaml"):
        if path.name not in texts:
            path.unlink()


def stale_in(folder: Path, definitions: list[Json]) -> list[str]:
    """Return the names of the files that are not what the definitions give: other, missing or left over."""
    texts = _texts(definitions)
    found = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.yaml")}
    return sorted(
        name for name in texts.keys() | found.keys() if texts.get(name) != found.get(name)
    )
