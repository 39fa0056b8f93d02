"""``python -m cycloud.kubernetes.crds FOLDER [--check]``: writes the definitions, or tells which files are stale."""

import argparse
import os
import sys
from pathlib import Path

import django

from cycloud.kubernetes.crds import stale, write


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m cycloud.kubernetes.crds", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if one is stale")
    given = parser.parse_args()
    # the schemas hang on no setting that differs between environments
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cycloud.settings.test")
    django.setup()
    if not given.check:
        write(given.folder)
        return 0
    names = stale(given.folder)
    for name in names:
        sys.stderr.write(
            f"{given.folder / name} is not what the protos and definitions give. Run: make crds\n"
        )
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main())
