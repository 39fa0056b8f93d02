"""What a person sees who works with kubectl alone; each output was looked at, and is kept in expected/kubectl."""

import json
import re
from collections.abc import Iterator

import pytest

from tests.e2e.kubernetes.harness.expected import check
from tests.e2e.kubernetes.harness.kubectl import Kubectl
from tests.e2e.kubernetes.harness.tenant import Tenant
from tests.e2e.kubernetes.harness.world import World

FAMILIES, SIZES = ("m7a", "m8a"), ("large", "medium", "small")
READY = ("wait", "--for=condition=Ready", "--timeout=60s")


@pytest.fixture(scope="module")
def shop(asked_world: World) -> Tenant:
    """A project with an instance that kubectl made, and one that was made over the API."""
    shop = asked_world.tenant("shop")
    shop.kubectl("apply", "-f", "-", input=shop.folder("web-1", "10.0.1.50"))
    shop.create_instance("api-1")
    shop.kubectl(*READY, "instance/web-1", "instance/api-1")
    return shop


@pytest.fixture
def kubectl(shop: Tenant) -> Kubectl:
    return shop.kubectl


def test_apply_and_wait(shop: Tenant) -> None:
    applied = shop.kubectl("apply", "-f", "-", input=shop.folder("first"))
    waited = shop.kubectl(*READY, "instance/first")
    again = shop.kubectl("apply", "-f", "-", input=shop.folder("first"))
    check("kubectl/apply", f"{applied}{waited}\n# again:\n{again}")


def test_get(kubectl: Kubectl) -> None:
    check("kubectl/get", kubectl("get", "instances,volumes,ni", "web-1", "--ignore-not-found"))
    check("kubectl/get-wide", kubectl("get", "inst", "web-1", "-o", "wide"))
    check(
        "kubectl/get-volumes-wide", kubectl("get", "vol", "web-1-root", "web-1-data", "-o", "wide")
    )
    check("kubectl/get-provider", kubectl("get", "osinst,osni", "web-1", "-o", "wide"))


def test_get_of_the_catalog(asked_world: World, shop: Tenant) -> None:
    # by name: the server is shared, and other modules' objects may still be on their way out
    types = [f"itype/{family}.{size}" for family in FAMILIES for size in SIZES]
    others = ["vtype/cgp1", "vtype/cgp1-short", "pimage/ubuntu-24.04"]
    names = ["oscluster/gen7", "oscluster/gen8", *types, *others]
    printed = asked_world.kubectl("get", *names, "-o", "wide")
    check("kubectl/get-catalog", printed)


def test_the_category_shows_all_that_is_the_projects(shop: Tenant) -> None:
    kinds = {
        line.partition("/")[0] for line in shop.kubectl("get", "cycloud", "-o", "name").split()
    }
    assert {kind.partition(".")[0] for kind in kinds} >= {
        "instance",
        "volume",
        "networkinterface",
        "subnet",
        "vpc",
    }


def test_describe(kubectl: Kubectl) -> None:
    described, _, events = kubectl("describe", "instance", "web-1").partition("Events:")
    check("kubectl/describe", described)
    # how many steps were seen in between hangs on the workers' pace
    assert re.search(r"Normal +Accepted .*The object was taken in", events), events
    assert re.search(r"Normal +Updated ", events), events
    assert "Warning  Failed" not in events


def test_describe_tells_why_it_does_not_converge(asked_world: World, shop: Tenant) -> None:
    """No host is left; no word of clusters or servers is shown to the project."""
    asked_world.simulated.site.faults.add("no_valid_host", cloud="a", times=1000)
    try:
        shop.kubectl("apply", "-f", "-", input=shop.folder("broken"))
        shop.api.wait_condition("instances", "broken", "Ready", "False", "InsufficientCapacity")
        text = shop.kubectl("describe", "instance", "broken")
    finally:
        asked_world.simulated.site.faults.clear()
    conditions = re.search(r"Conditions:.*?Ip Address:", text, re.DOTALL)
    assert conditions, text
    check("kubectl/describe-broken", conditions[0])
    assert re.search(r"Warning +InsufficientCapacity .*There is not enough capacity", text), text
    assert not re.search(r"gen7|gen8|kvm", text)
    shop.kubectl("delete", "instance", "broken", "--timeout=60s")


def test_diff_shows_what_a_change_would_do(shop: Tenant) -> None:
    larger = shop.instance("web-1", instanceType=shop.offer.small_in_b)
    done = shop.kubectl.run("diff", "-f", "-", input=larger)
    assert done.returncode == 1, done.stderr
    lines = [line for line in done.stdout.splitlines() if re.match(r"[-+] ", line)]
    check("kubectl/diff", "\n".join(lines))
    same = shop.kubectl.run("diff", "-f", "-", input=shop.instance("web-1"))
    assert (same.returncode, same.stdout) == (0, "")


def test_apply_server_side_takes_over_what_apply_made(shop: Tenant) -> None:
    words = ("apply", "--server-side", "-f", "-")
    manifest = shop.interface("mine", "10.0.1.60")
    printed = shop.kubectl(*words, input=manifest)
    shop.kubectl(*READY, "ni/mine")
    printed += shop.kubectl(
        *words, input={**manifest, "spec": {**manifest["spec"], "displayName": "M"}}
    )
    shop.kubectl(*READY, "ni/mine")
    assert shop.kubectl.json("get", "ni", "mine")["spec"]["displayName"] == "M"
    # nobody but the person owns the declaration
    owners = shop.kubectl("get", "ni", "mine", "-o", "json", "--show-managed-fields")
    specs = [
        f["manager"]
        for f in json.loads(owners)["metadata"]["managedFields"]
        if "f:spec" in f["fieldsV1"]
    ]
    assert specs == ["kubectl"]
    check("kubectl/apply-server-side", printed)


def test_apply_server_side_conflicts_over_what_the_api_owns(shop: Tenant) -> None:
    other = shop.instance("api-1", instanceType=shop.offer.small_in_b)
    refused = shop.kubectl.fails("apply", "--server-side", "-f", "-", input=other)
    check("kubectl/apply-conflict", refused)


def test_an_edit_stops_and_starts(shop: Tenant) -> None:
    patch = ("patch", "instance", "web-1", "--type=merge")
    shop.kubectl(*patch, "-p", '{"spec":{"desiredState":"Stopped"}}')
    shop.kubectl(
        "wait", "--for=jsonpath={.status.state}=Stopped", "--timeout=60s", "instance/web-1"
    )
    stopped = shop.kubectl("get", "instance", "web-1")
    shop.kubectl(*patch, "-p", '{"spec":{"desiredState":"Running"}}')
    shop.kubectl(
        "wait", "--for=jsonpath={.status.state}=Running", "--timeout=60s", "instance/web-1"
    )
    shop.kubectl(*READY, "instance/web-1")
    check("kubectl/get-stopped", stopped)


def test_delete_waits_until_the_resource_is_gone(shop: Tenant) -> None:
    shop.kubectl("apply", "-f", "-", input=shop.folder("gone"))
    shop.kubectl(*READY, "instance/gone")
    printed = shop.kubectl("delete", "instance", "gone", "--timeout=60s")
    printed += shop.kubectl("delete", "vol/gone-root", "vol/gone-data", "ni/gone", "--timeout=60s")
    check("kubectl/delete", printed)
    assert shop.kubectl.fails("get", "instance", "gone").startswith("Error from server (NotFound)")


def test_delete_says_what_it_waits_for(shop: Tenant) -> None:
    """A volume that an instance has is kept by its rules, and the object by our finalizer."""
    shop.kubectl("delete", "volume", "web-1-data", "--wait=false")
    shop.api.wait_condition("volumes", "web-1-data", "Accepted", "False")
    held = shop.kubectl.json("get", "volume", "web-1-data")
    accepted = next(c for c in held["status"]["conditions"] if c["type"] == "Accepted")
    check("kubectl/delete-held", f"{accepted['reason']}: {accepted['message']}")
    assert held["metadata"]["finalizers"] == ["cycloud.jp/deletion"]


@pytest.fixture(scope="module", autouse=True)
def _ends(shop: Tenant) -> Iterator[None]:
    yield
    shop.kubectl("delete", "instances", "--all", "--timeout=60s")
