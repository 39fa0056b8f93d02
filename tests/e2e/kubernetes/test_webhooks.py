"""The admission webhook as a real API server calls it: what people see of refusals, warnings and dry runs."""

import json
import time
from collections.abc import Iterator
from typing import Any, Final

import httpx
import pytest

from compute.models import Instance, Volume
from cycloud.core.iam.models import AuditEntry
from cycloud.kubernetes.install.rbac import account_name
from cycloud.kubernetes.webhooks import server as server_module
from cycloud.kubernetes.webhooks.admission import Judge, verdict_on
from cycloud.kubernetes.webhooks.configuration import configuration
from cycloud.kubernetes.webhooks.reviews import AdmissionRequest, Verdict
from cycloud.kubernetes.webhooks.server import WebhookServer
from tests.e2e.kubernetes.harness import expected
from tests.e2e.kubernetes.harness.tenant import Tenant
from tests.e2e.kubernetes.harness.webhooks import WEBHOOKS, serve, until
from tests.e2e.kubernetes.harness.world import World

Json = dict[str, Any]
NAME: Final = "webhooks-suite"
# as whom the controllers of the suites write
CONTROLLER: Final = account_name("cycloud-system")
# more than the type offers, and no more than the schema takes
TOO_LARGE: Final = "20Ti"


@pytest.fixture(scope="module")
def stray(world: World) -> Tenant:
    """A project in whose namespace nothing is taken in."""
    return world.tenant("webhooks-stray", bound=False, cidr="10.0.9.0/24")


@pytest.fixture(scope="module")
def tenant(world: World, stray: Tenant) -> Iterator[Tenant]:
    """A project whose namespace has the webhook, which is asked by now."""
    tenant = world.tenant("webhooks", cidr="10.0.8.0/24")
    webhook = serve(world.server)
    url = f"https://127.0.0.1:{webhook.port}"
    wanted = ["In", [tenant.namespace, stray.namespace]]
    rule = {"key": "kubernetes.io/metadata.name", "operator": wanted[0], "values": wanted[1]}
    body = configuration(
        url,
        world.server.ca.read_bytes(),
        CONTROLLER,
        name=NAME,
        namespace_selector={"matchExpressions": [rule]},
    )
    tenant.api.call("POST", WEBHOOKS, body)
    webhook.stop()
    try:
        yield tenant
    finally:
        tenant.api.call("DELETE", f"{WEBHOOKS}/{NAME}")


@pytest.fixture
def webhook(world: World, tenant: Tenant) -> Iterator[WebhookServer]:
    """The running webhook, at the address that the API server knows."""
    config = tenant.api.call("GET", f"{WEBHOOKS}/{NAME}")["webhooks"][0]["clientConfig"]
    webhook = serve(world.server, httpx.URL(config["url"]).port or 0)

    def is_asked() -> bool:
        return dry_run(tenant, tenant.volume("probe", size=TOO_LARGE)).status_code == 422

    until(is_asked, "the API server asks the webhook")
    yield webhook
    webhook.stop()


def dry_run(tenant: Tenant, body: Json) -> httpx.Response:
    plural = f"{body['kind'].lower()}s"
    return tenant.api.send("POST", tenant.api.path(plural), body, dryRun="All")


def apply(tenant: Tenant, *objects: Json, words: tuple[str, ...] = ()) -> str:
    return tenant.kubectl("apply", *words, "--filename=-", input=list(objects))


def refused(tenant: Tenant, *objects: Json, words: tuple[str, ...] = ()) -> str:
    return tenant.kubectl.fails("apply", *words, "--filename=-", input=list(objects))


# -- refusals


def test_kubectl_shows_why_an_object_is_refused_and_nothing_is_left(
    tenant: Tenant, webhook: WebhookServer
) -> None:
    text = refused(tenant, tenant.volume("huge", size=TOO_LARGE))
    expected.check("webhooks-refused", text)
    text = refused(tenant, tenant.volume("huge", size=TOO_LARGE), words=("--server-side",))
    expected.check("webhooks-refused-server-side", text)
    text = tenant.kubectl.fails("diff", "--filename=-", input=tenant.volume("huge", size=TOO_LARGE))
    assert "spec.size: 20480Gi is outside of what cgp1 offers" in text
    assert tenant.api.get("volumes", "huge") is None
    assert not Volume.objects.filter(resource_id="huge").exists()


def test_a_client_gets_code_reason_and_fields(tenant: Tenant, webhook: WebhookServer) -> None:
    answer = dry_run(tenant, tenant.volume("huge", size=TOO_LARGE))
    status = answer.json()
    assert (answer.status_code, status["reason"]) == (422, "Invalid")
    assert status["message"].startswith(
        'admission webhook "admission.cycloud.jp" denied the request: spec.size: '
    )
    (cause,) = status["details"]["causes"]
    assert (cause["field"], cause["reason"]) == ("spec.size", "SizeOutOfRange")


def test_a_namespace_that_takes_nothing_in_refuses(stray: Tenant, webhook: WebhookServer) -> None:
    expected.check("webhooks-forbidden", refused(stray, stray.volume("data")))


def test_a_change_that_the_services_refuse_is_refused(
    tenant: Tenant, webhook: WebhookServer
) -> None:
    apply(tenant, tenant.volume("grows", size="2Gi"))
    tenant.api.wait_ready("volumes", "grows")
    text = refused(tenant, tenant.volume("grows", size=TOO_LARGE))
    assert "spec.size" in text
    assert (tenant.api.get("volumes", "grows") or {})["spec"]["size"] == "2Gi"
    tenant.kubectl("delete", "volume", "grows", "--timeout=60s")


# -- warnings


def test_a_folder_in_any_order_is_taken_with_warnings(
    tenant: Tenant, webhook: WebhookServer
) -> None:
    expected.check("webhooks-early", apply(tenant, tenant.instance("early")))
    tenant.api.wait_condition("instances", "early", "Accepted", "False")
    apply(tenant, *tenant.folder("early", "10.0.8.40"))
    tenant.api.wait_ready("instances", "early")


def test_what_is_protected_is_not_deleted_before_that_is_changed(
    tenant: Tenant, webhook: WebhookServer
) -> None:
    folder = tenant.folder("kept", "10.0.8.41", deletionProtection=True)
    apply(tenant, *folder)
    tenant.api.wait_ready("instances", "kept")
    expected.check("webhooks-protected", tenant.kubectl.fails("delete", "instance", "kept"))
    found = tenant.api.get("instances", "kept")
    assert found is not None and "deletionTimestamp" not in found["metadata"]
    # a volume in use: the finalizer waits for the instance
    text = tenant.kubectl("delete", "volume", "kept-data", "--wait=false")
    expected.check("webhooks-deletion-waits", text)
    apply(tenant, tenant.instance("kept", deletionProtection=False))
    until(
        lambda: not Instance.objects.get(resource_id="kept").deletion_protection,
        "the protection is off",
    )
    tenant.kubectl("delete", "instance", "kept", "--timeout=120s")
    tenant.api.wait_gone("volumes", "kept-data")


def test_a_change_of_what_the_api_owns_is_told_to_be_put_back(
    tenant: Tenant, webhook: WebhookServer
) -> None:
    tenant.create_instance("over-api")
    tenant.api.wait_ready("instances", "over-api")
    patch = json.dumps({"spec": {"displayName": "mine"}})
    text = tenant.kubectl("patch", "instance", "over-api", "--type=merge", f"--patch={patch}")
    expected.check("webhooks-put-back", text)

    def is_put_back() -> bool:
        spec = (tenant.api.get("instances", "over-api") or {})["spec"]
        return bool(spec["displayName"] == "")

    until(is_put_back, "the change is put back")


def test_what_a_cluster_does_not_use_yet_is_told(tenant: Tenant, webhook: WebhookServer) -> None:
    cluster = tenant.manifest(
        "openstackclusters",
        "OpenStackCluster",
        "cluster-c",
        {
            "availabilityZone": tenant.offer.zone,
            "controllerName": "cluster-c",
            "cloudCredentials": {"name": "c"},
            "rabbitMQConfig": {"name": "mq"},
        },
    )
    del cluster["metadata"]["namespace"]
    text = apply(tenant, cluster, words=("--dry-run=server",))
    assert "Warning: spec.rabbitMQConfig is not used yet" in text
    assert "created (server dry run)" in text


def test_the_controllers_own_writes_are_not_asked_about(
    tenant: Tenant, webhook: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def verdict(request: AdmissionRequest, judge: Judge) -> Verdict:
        asked.append(request.name)
        return verdict_on(request, judge)

    monkeypatch.setattr(server_module, "verdict_on", verdict)
    tenant.create_instance("unasked-1")
    tenant.api.wait_ready("instances", "unasked-1")
    apply(tenant, tenant.interface("asked-1"))
    tenant.api.wait_ready("networkinterfaces", "asked-1")
    assert set(asked) == {"asked-1"}


# -- dry runs, and a portal that is away


def test_a_dry_run_is_judged_and_leaves_nothing(tenant: Tenant, webhook: WebhookServer) -> None:
    assert "created (server dry run)" in apply(
        tenant, tenant.volume("maybe"), words=("--dry-run=server",)
    )
    assert "spec.size" in refused(
        tenant, tenant.volume("maybe", size=TOO_LARGE), words=("--dry-run=server",)
    )
    assert not Volume.objects.filter(resource_id="maybe").exists()
    assert not AuditEntry.objects.filter(resource_name__endswith="/maybe").exists()


def test_a_portal_that_is_away_stops_nobody(tenant: Tenant, webhook: WebhookServer) -> None:
    webhook.stop()
    begun = time.monotonic()
    assert "created" in apply(tenant, tenant.volume("unasked", size=TOO_LARGE))
    # refused at once, not after the time-out
    assert time.monotonic() - begun < 5
    # and the same refusal comes from the intake
    accepted = tenant.api.wait_condition("volumes", "unasked", "Accepted", "False")
    assert "spec.size" in accepted["message"]
    tenant.kubectl("delete", "volume", "unasked", "--timeout=60s")
