"""Every row, as its kind writes it out, is an object that the API server takes and stores to the letter."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import jsonschema
import pytest
from django.utils import timezone

from compute.models import Instance, OpenStackInstance, Volume, VolumeBinding
from cycloud.core.conditions import Condition, Status
from cycloud.kubernetes.crds import all_definitions, definitions
from cycloud.kubernetes.kinds import Json, Kind
from cycloud.kubernetes.objects import ACCEPTED, status_of
from cycloud.kubernetes.registry import all_kinds, taken_in_kinds
from tests.factories.catalog import PublicOpenStackImageFactory
from tests.factories.compute import (
    OpenStackNetworkInterfaceFactory,
    World,
    make_world,
)

KINDS: Final = all_kinds()
OBSERVED: Final = {"metadata": {"generation": 1}}


def _schema(kind: Kind) -> Json:
    """The schema of the stored version, in which an unknown field is an error, as it is to server-side apply."""
    found = next(d for d in definitions() if d["metadata"]["name"] == kind.api.definition)
    schema: Json = found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return _closed(schema)


def _closed(schema: Json) -> Json:
    schema = dict(schema)
    if "properties" in schema:
        schema["properties"] = {k: _closed(v) for k, v in schema["properties"].items()}
        schema["additionalProperties"] = False
    if "items" in schema:
        schema["items"] = _closed(schema["items"])
    return schema


def _present(value: Any) -> Any:
    """As the sync sends it: what is None is left out."""
    if isinstance(value, dict):
        return {k: _present(v) for k, v in value.items() if v is not None}
    return [_present(item) for item in value] if isinstance(value, list) else value


def _missing_defaults(schema: Json, value: Any, path: str = "") -> Iterator[str]:
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            if inner["type"] == "object":
                yield from _missing_defaults(inner, value[name], f"{path}.{name}")
            for item in value[name] if inner["type"] == "array" else ():
                if isinstance(item, dict):
                    yield from _missing_defaults(inner["items"], item, f"{path}.{name}[]")
        elif "default" in inner:
            yield f"{path}.{name}"


def _ready() -> list[dict[str, Any]]:
    return [
        {
            "type": "Ready",
            "status": "True",
            "reason": "Updated",
            "message": "",
            "observed_generation": 1,
            "last_transition_time": "2026-01-02T03:04:05+00:00",
            "terminal": False,
        }
    ]


def _plain(world: World) -> None:
    instance = world.instance(
        volumes=2, user_data="#!/bin/sh", ssh_public_keys=["ssh-ed25519 AAAA"]
    )
    OpenStackNetworkInterfaceFactory.create(
        network_interface=instance.network_attachments.get().network_interface, cluster=world.old
    )
    PublicOpenStackImageFactory.create(public_image=world.image, cluster=world.old)


def _full(world: World) -> None:
    """All that may be empty has a value."""
    _plain(world)
    Volume.objects.update(image=world.image, conditions=_ready(), display_name="名" * 255)
    Instance.objects.update(conditions=_ready(), state="STARTING")
    now = timezone.now()
    VolumeBinding.objects.update(backend_reference="volume-1", purge_time=now, purge_begun=now)
    OpenStackInstance.objects.update(
        next_cluster=world.new, next_flavor_id="f-2", server_cluster=world.old, fault_text="No host"
    )


def _bare(world: World) -> None:
    """All that may be empty is."""
    _plain(world)
    VolumeBinding.objects.update(cluster=None, provider_type="", provider_id="")
    OpenStackInstance.objects.update(flavor_id="")


@pytest.mark.django_db
@pytest.mark.parametrize("fill", [_plain, _full, _bare])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.api.kind)
def test_every_row_is_an_object_of_its_definition(
    kind: Kind, fill: Callable[[World], None]
) -> None:
    fill(make_world())
    schema = _schema(kind)
    manifests = kind.manifests(list(kind.names()))
    assert manifests
    for manifest in manifests.values():
        spec = _present(manifest.spec)
        for accepted in (None, ACCEPTED):
            status = status_of(manifest, OBSERVED, accepted, timezone.now())
            jsonschema.validate(
                {"metadata": {}, "spec": spec, "status": status},
                schema,
                format_checker=jsonschema.FormatChecker(),
            )
        assert list(_missing_defaults(schema["properties"]["spec"], spec)) == []


def test_every_kind_has_its_definition_and_the_other_way_round() -> None:
    defined = {d.api: d for d in all_definitions()}
    # declared only
    assert {api.kind for api in defined.keys() - {kind.api for kind in KINDS}} == {"PlacementGroup"}
    assert {kind.api for kind in KINDS} <= defined.keys()
    assert {api.kind for api, item in defined.items() if item.taken_in} == {
        kind.api.kind for kind in taken_in_kinds()
    }


def test_a_refusal_of_an_object_without_a_row_is_a_status_too() -> None:
    refused = Condition("Accepted", Status.FALSE, "InvalidArgument", "spec.size is too large.")
    status = status_of(None, OBSERVED, refused, timezone.now())
    for kind in KINDS:
        jsonschema.validate(status, _schema(kind)["properties"]["status"])
