"""What the clouds refuse is told to the user without their inner names, and ends with its cause."""

import re
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from tests.e2e.conftest import Machines
from tests.e2e.harness.clouds import RealCloud
from tests.e2e.harness.machine import Machine
from tests.e2e.harness.rest import Resource, Rest, condition
from tests.e2e.harness.seed import IMAGE

NOTHING = {"servers": 0, "ports": 0, "volumes": 0, "attachments": 0}
WHOLE = {"servers": 1, "ports": 1, "volumes": 2, "attachments": 2}
Trouble = Callable[[RealCloud], AbstractContextManager[None]]
# of clusters, their workers, hosts, storage, APIs
INNER_NAMES = re.compile(
    r"cluster-|kvm-|osbed|cinder|nova|neutron|glance|keystone|rbd|127\.0\.0|http|#shared"
    r"|\b(cluster|host)\b|[0-9a-f]{8}-[0-9a-f]{4}-",
    re.IGNORECASE,
)


def assert_tells_nothing_inner(machine: Machine, operation: Resource) -> None:
    """All texts that the user can read about it are free of names from inside the clouds."""
    user = machine.user
    resources = [
        user.get(n) for n in [machine.name, *machine.volume_names, *machine.interface_names]
    ]
    texts = [c["message"] for resource in resources for c in resource["conditions"]]
    texts.append(str(user.get(operation["name"]).get("error", {}).get("message", "")))
    assert [text for text in texts if INNER_NAMES.search(text)] == []


def repaired(machine: Machine) -> None:
    """The cause is gone: the instance runs, and no attempt of before has left anything."""
    instance = machine.wait_running()
    assert instance["network_interfaces"][0]["ip_address"] == machine.address
    assert machine.inventory("a") == WHOLE
    assert machine.inventory("b") == NOTHING
    traces = machine.traces()
    assert {kind: len(ids) for kind, ids in traces.items()} == {
        "images": 2, "servers in a": 1, "ports in a": 1, "volumes in a": 2, "attachments in a": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("id_", "trouble", "reason", "word"),
    [
        ("no-host", lambda cloud: cloud.no_hosts(), "InsufficientCapacity", "capacity"),
        ("no-compute", lambda c: c.no_more_servers(), "QuotaExceeded", "quota"),
        ("no-volumes", lambda c: c.no_more_volumes(), "RootVolumeIsNotReady", "quota"),
        ("no-ports", lambda c: c.no_more_ports(), "NetworkInterfaceAttachmentFailed", "quota"),
    ],
)  # fmt: skip
def test_a_refusal_of_the_cloud_shows_its_reason_and_ends_with_its_cause(
    machines: Machines,
    user: Rest,
    clouds: dict[str, RealCloud],
    id_: str,
    trouble: Trouble,
    reason: str,
    word: str,
) -> None:
    machine = machines(id_)
    with trouble(clouds["a"]):
        operation = machine.create("m7a.small")
        found = user.wait_for(
            machine.name,
            f"{reason} about {word}",
            lambda r: (
                condition(r, "Ready").get("reason") == reason
                and word in condition(r, "Ready")["message"]
            ),
        )
        assert condition(found, "Ready")["status"] == "False"
        assert_tells_nothing_inner(machine, operation)
        if id_ == "no-volumes":
            root = user.wait_reason(machine.volume_names[0], "QuotaExceeded")
            assert "quota" in condition(root, "Ready")["message"]
    repaired(machine)


def test_an_image_that_a_cloud_does_not_have_is_named_until_the_operator_repairs_the_catalog(
    machines: Machines, user: Rest, operator: Rest
) -> None:
    good = operator.get(f"publicImages/{IMAGE}")["provider_images"]
    broken = [{**image, "provider_id": str(uuid.uuid4())} for image in good]
    machine = machines("no-image")
    operator.create("", "publicImages", "vanished", {"provider_images": broken})
    operation = machine.create("m7a.small", image="vanished")
    found = user.wait_for(
        machine.name,
        "a root volume without its image",
        lambda r: (
            condition(r, "Ready").get("reason") == "RootVolumeIsNotReady"
            and "no-image-root" in condition(r, "Ready")["message"]
            and "refused" in condition(r, "Ready")["message"]
        ),
    )
    assert condition(found, "Ready")["status"] == "False"
    user.wait_reason(machine.volume_names[0], "InvalidConfiguration")
    assert_tells_nothing_inner(machine, operation)
    operator.patch("publicImages/vanished", provider_images=good)
    repaired(machine)
