"""Who owns which field, as server-side apply keeps it: paths of fields by manager.

A path is a tuple of steps as fieldsV1 writes them: ``f:spec``, ``k:{"type":"Ready"}`` for an item of a keyed list,
``v:"x"`` for a member of a set. A list that is neither is one value.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

Path = tuple[str, ...]
Json = dict[str, Any]
_KEYED = {
    "conditions": "type",
    "volumeAttachments": "deviceIndex",
    "networkInterfaceAttachments": "deviceIndex",
    "ownerReferences": "uid",
}
_SETS = {"finalizers"}


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the fields of an object with their values."""
    name = path[-1][2:] if path else ""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, (*path, f"f:{key}"))
    elif isinstance(value, list) and value and name in _KEYED and path[-1].startswith("f:"):
        for item in value:
            key = json.dumps({_KEYED[name]: item[_KEYED[name]]}, separators=(",", ":"))
            yield from leaves(item, (*path, f"k:{key}"))
    elif isinstance(value, list) and value and name in _SETS:
        for item in value:
            yield (*path, f"v:{json.dumps(item)}"), item
    else:
        yield path, value


def build(fields: dict[Path, Any]) -> Json:
    """Return the object that has these fields."""
    root: Json = {}
    for path, value in fields.items():
        _put(root, path, deepcopy(value))
    return root


def _put(node: Any, path: Path, value: Any) -> None:
    step, rest = path[0], path[1:]
    if step.startswith("f:"):
        key = step[2:]
        if not rest:
            node[key] = value
            return
        is_list = rest[0].startswith(("k:", "v:"))
        _put(node.setdefault(key, [] if is_list else {}), rest, value)
    elif step.startswith("v:"):
        if value not in node:
            node.append(value)
    else:
        key = json.loads(step[2:])
        item = next((i for i in node if key.items() <= i.items()), None)
        if item is None:
            item = dict(key)
            node.append(item)
        if rest:
            _put(item, rest, value)


def fields_v1(paths: set[Path]) -> Json:
    """Return paths as managedFields shows them."""
    root: Json = {}
    for path in sorted(paths):
        node = root
        for step in path:
            node = node.setdefault(step, {})
    return root
