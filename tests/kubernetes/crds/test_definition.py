"""What the API server is given: structural, bounded, with the columns and categories that people know."""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from cycloud.kubernetes.crds import all_definitions, definitions
from cycloud.kubernetes.crds.folder import text_of

Json = dict[str, Any]
CLIENT: Final = {"url": "https://127.0.0.1:9443/convert", "caBundle": "Zm9v"}
ALL: Final = {item["spec"]["names"]["kind"]: item for item in definitions()}


def _schema(kind: str, version: str = "v1") -> Json:
    found = next(v for v in ALL[kind]["spec"]["versions"] if v["name"] == version)
    schema: Json = found["schema"]["openAPIV3Schema"]
    return schema


def _nodes(schema: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from _nodes(inner, f"{path}.{name}")
    if "items" in schema:
        yield from _nodes(schema["items"], f"{path}[]")


def _every_node() -> Iterator[tuple[str, Json]]:
    for kind, item in ALL.items():
        for version in item["spec"]["versions"]:
            where = f"{kind}/{version['name']}"
            yield from _nodes(version["schema"]["openAPIV3Schema"], where)


def test_all_kinds_are_there() -> None:
    assert sorted(ALL) == [
        "Instance",
        "InstanceType",
        "NetworkInterface",
        "OpenStackCluster",
        "OpenStackInstance",
        "OpenStackNetworkInterface",
        "OpenStackVolume",
        "PlacementGroup",
        "PublicImage",
        "Subnet",
        "VPC",
        "Volume",
        "VolumeBinding",
        "VolumeType",
    ]


def test_the_schemas_are_structural() -> None:
    for path, node in _every_node():
        assert isinstance(node["type"], str), path
        assert not node.keys() & {"$ref", "nullable", "additionalProperties", "readOnly"}, path
        if node["type"] == "array":
            assert "items" in node, path
            assert "x-kubernetes-list-type" in node, path


def test_required_fields_are_fields() -> None:
    for path, node in _every_node():
        assert set(node.get("required", ())) <= node.get("properties", {}).keys(), path


def test_a_status_has_no_default_and_needs_nothing_but_whole_conditions() -> None:
    for path, node in _every_node():
        if ".status" in path:
            assert "default" not in node, path
            assert "required" not in node or path.endswith(".conditions[]"), path


@pytest.mark.parametrize("kind", sorted(ALL))
def test_conditions_are_those_of_kubernetes_and_each_manager_has_its_own(kind: str) -> None:
    status = _schema(kind)["properties"]["status"]["properties"]
    conditions = status["conditions"]
    assert conditions["x-kubernetes-list-type"] == "map"
    assert conditions["x-kubernetes-list-map-keys"] == ["type"]
    item = conditions["items"]
    assert list(item["properties"]) == [
        "type",
        "status",
        "reason",
        "message",
        "observedGeneration",
        "lastTransitionTime",
    ]
    assert item["required"] == ["type", "status", "reason", "message", "lastTransitionTime"]
    assert item["properties"]["status"]["enum"] == ["True", "False", "Unknown"]
    generation = {"type": "integer", "format": "int64", "minimum": 0}
    assert generation.items() <= status["observedGeneration"].items()
    assert item["properties"]["observedGeneration"].keys() == {*generation, "description"}
    assert status["uid"]["format"] == "uuid"


@pytest.mark.parametrize("kind", sorted(ALL))
def test_ready_and_reason_are_the_first_columns_and_the_message_is_the_last_wide_one(
    kind: str,
) -> None:
    for version in ALL[kind]["spec"]["versions"]:
        columns = version["additionalPrinterColumns"]
        narrow = [c["name"] for c in columns if c.get("priority", 0) == 0]
        wide = [c["name"] for c in columns if c.get("priority", 0)]
        assert narrow[:2] == ["Ready", "Reason"]
        assert narrow[-1] == "Age"
        assert wide[-1] == "Message"


def test_columns_of_an_instance_are_in_the_order_that_people_read() -> None:
    columns = ALL["Instance"]["spec"]["versions"][0]["additionalPrinterColumns"]
    assert [c["name"] for c in columns] == [
        "Ready",
        "Reason",
        "Type",
        "Zone",
        "State",
        "Age",
        "IP",
        "Accepted",
        "Message",
    ]


def test_a_category_is_for_one_group_of_people() -> None:
    found: dict[str, list[str]] = {}
    for kind, item in sorted(ALL.items()):
        (category,) = item["spec"]["names"]["categories"]
        found.setdefault(category, []).append(kind)
    assert found == {
        "cycloud": [
            "Instance",
            "NetworkInterface",
            "PlacementGroup",
            "Subnet",
            "VPC",
            "Volume",
        ],
        "cycloud-catalog": ["InstanceType", "OpenStackCluster", "PublicImage", "VolumeType"],
        "cycloud-provider": [
            "OpenStackInstance",
            "OpenStackNetworkInterface",
            "OpenStackVolume",
            "VolumeBinding",
        ],
    }


def test_names_and_short_names_are_used_once() -> None:
    names = [
        name
        for item in ALL.values()
        for name in [
            item["spec"]["names"]["plural"],
            item["spec"]["names"]["singular"],
            *item["spec"]["names"].get("shortNames", ()),
            *item["spec"]["names"]["categories"][:0],
        ]
    ]
    categories = {c for item in ALL.values() for c in item["spec"]["names"]["categories"]}
    assert len(set(names)) == len(names)
    assert not categories & set(names)


def test_without_a_webhook_only_the_stored_version_is_served() -> None:
    spec = ALL["Volume"]["spec"]
    assert [(v["name"], v["served"], v["storage"]) for v in spec["versions"]] == [
        ("v1", True, True),
        ("v1alpha1", False, False),
    ]
    assert spec["conversion"] == {"strategy": "None"}


def test_with_a_webhook_both_versions_are_served_and_it_converts() -> None:
    rendered = {item["spec"]["names"]["kind"]: item["spec"] for item in definitions(CLIENT)}
    versions = rendered["Volume"]["versions"]
    assert [(v["name"], v["served"], v["storage"]) for v in versions] == [
        ("v1", True, True),
        ("v1alpha1", True, False),
    ]
    assert rendered["Volume"]["conversion"] == {
        "strategy": "Webhook",
        "webhook": {"clientConfig": CLIENT, "conversionReviewVersions": ["v1"]},
    }
    # a kind of one version needs none
    assert rendered["Instance"]["conversion"] == {"strategy": "None"}


def test_the_earlier_version_differs_in_the_size_only_and_has_its_own_rules() -> None:
    new = _schema("Volume")["properties"]["spec"]["properties"]
    old = _schema("Volume", "v1alpha1")["properties"]["spec"]["properties"]
    assert old.keys() - new.keys() == {"sizeGiB"}
    assert new.keys() - old.keys() == {"size"}
    assert all(old[name] == new[name] for name in old.keys() & new.keys())
    rules = [r["rule"] for r in _schema("Volume", "v1alpha1")["x-kubernetes-validations"]]
    assert any("spec.sizeGiB" in rule for rule in rules)
    assert not any("spec.size " in rule for rule in rules)


def test_rules_name_the_field_and_tell_what_to_do() -> None:
    for path, node in _every_node():
        for rule in node.get("x-kubernetes-validations", ()):
            assert len(rule["message"]) > 30, path
            assert not rule["message"].endswith("."), path
            if "." not in path:
                assert rule["fieldPath"].startswith((".spec.", ".metadata.")), path


def test_what_rules_look_at_is_bounded() -> None:
    """Else the API server takes the cost of a rule for unlimited and refuses the definition."""
    for kind in ("Instance", "Volume", "VolumeType"):
        for path, node in _nodes(_schema(kind)["properties"]["spec"], f"{kind}.spec"):
            if node["type"] == "string" and "enum" not in node:
                assert "maxLength" in node, path
            if node["type"] == "array":
                assert "maxItems" in node, path


def test_the_same_definitions_give_the_same_bytes() -> None:
    first = [text_of(item) for item in definitions()]
    assert first == [text_of(item) for item in definitions()]
    assert len(first) == len(all_definitions())
