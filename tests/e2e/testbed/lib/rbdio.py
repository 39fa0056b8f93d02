"""Looks into the shared pool, past OpenStack. Run with the services' own Python.

rbdio.py ls                        names of all images
rbdio.py info IMAGE                size, watchers, snapshots, parent as JSON
rbdio.py write IMAGE OFFSET TEXT
rbdio.py read IMAGE OFFSET LENGTH
rbdio.py digest IMAGE...           SHA-256 of size and bytes of each, as JSON; holes cost no time
rbdio.py rename OLD NEW            for tests of lost data
rbdio.py rm IMAGE
"""

import hashlib
import json
import os
import pathlib
import sys
from typing import Any

import rados
import rbd

ROOT = pathlib.Path(os.environ.get("OSBED_ROOT", pathlib.Path.home() / ".cache/cycloud-testbed"))
RUN = pathlib.Path(os.environ.get("OSBED_RUN", ROOT / "run"))
CHUNK = 4 << 20


def describe(image: Any) -> str:
    parent = image.parent_info() if image.stat()["parent_name"] else None
    facts = {
        "size": image.size(),
        "features": image.features(),
        "id": image.id(),
        "watchers": [watcher["addr"] for watcher in image.watchers_list()],
        "snaps": [snap["name"] for snap in image.list_snaps()],
        "parent": parent,
    }
    return json.dumps(facts, default=str)


def digest(image: Any) -> str:
    """Digest the bytes so that a hole and a written zero are the same."""
    size = image.size()
    chunks: set[int] = set()

    def note(offset: int, length: int, exists: bool) -> None:
        if exists:
            chunks.update(range(offset // CHUNK, (offset + length - 1) // CHUNK + 1))

    image.diff_iterate(0, size, None, note)
    total = hashlib.sha256(str(size).encode())
    for number in sorted(chunks):
        data = image.read(number * CHUNK, min(CHUNK, size - number * CHUNK))
        if data.count(0) != len(data):
            total.update(f"@{number}".encode() + data)
    return total.hexdigest()


def main(command: str, args: list[str]) -> int:
    conf = str(RUN / "ceph/ceph.conf")
    with (
        rados.Rados(conffile=conf, rados_id="admin") as cluster,
        cluster.open_ioctx("volumes") as pool,
    ):

        def open_image(name: str, read_only: bool = True) -> Any:
            return rbd.Image(pool, name, read_only=read_only)

        match [command, *args]:
            case ["ls"]:
                print("\n".join(rbd.RBD().list(pool)))
            case ["info", name]:
                with open_image(name) as image:
                    print(describe(image))
            case ["write", name, offset, text]:
                with open_image(name, read_only=False) as image:
                    image.write(text.encode(), int(offset))
                    image.flush()
            case ["read", name, offset, length]:
                with open_image(name) as image:
                    print(image.read(int(offset), int(length)).decode(errors="replace"))
            case ["digest", _, *_]:
                result = {}
                for name in args:
                    with open_image(name) as image:
                        result[name] = digest(image)
                print(json.dumps(result))
            case ["rename", old, new]:
                rbd.RBD().rename(pool, old, new)
            case ["rm", name]:
                rbd.RBD().remove(pool, name)
            case _:
                print(__doc__)
                return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2:]))
    except rbd.Error as error:
        sys.exit(f"{' '.join(sys.argv[1:])}: {error}")
