import base64
import json

from cycloud.kubernetes.kinds import ApiKind
from cycloud.kubernetes.webhooks.configuration import (
    ServiceReference,
    configuration,
    conversion_client_config,
)

CA = b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
APIS = [
    ApiKind("a.example.com", "Thing", "things"),
    ApiKind("a.example.com", "Box", "boxes"),
    ApiKind("a.example.com", "World", "worlds", namespaced=False),
    ApiKind("b.example.com", "Other", "others"),
]


def test_every_kind_is_asked_about_in_its_scope_and_no_subresource_is() -> None:
    found = configuration("https://portal:9443", CA, "system:serviceaccount:s:cycloud", apis=APIS)
    rules = [
        (rule["apiGroups"], rule["resources"], rule["scope"])
        for rule in found["webhooks"][0]["rules"]
    ]
    assert rules == [
        (["a.example.com"], ["worlds"], "Cluster"),
        (["a.example.com"], ["boxes", "things"], "Namespaced"),
        (["b.example.com"], ["others"], "Namespaced"),
    ]
    assert all(
        (rule["apiVersions"], rule["operations"]) == (["v1"], ["CREATE", "UPDATE", "DELETE"])
        for rule in found["webhooks"][0]["rules"]
    )


def test_a_portal_that_is_down_stops_nobody_and_a_dry_run_is_allowed() -> None:
    webhook = configuration("https://portal:9443/", CA, "cycloud", apis=APIS)["webhooks"][0]
    assert (webhook["failurePolicy"], webhook["timeoutSeconds"]) == ("Ignore", 5)
    assert (webhook["sideEffects"], webhook["matchPolicy"]) == ("None", "Equivalent")
    assert webhook["clientConfig"] == {
        "url": "https://portal:9443/admission",
        "caBundle": base64.b64encode(CA).decode(),
    }
    assert "namespaceSelector" not in webhook


def test_the_controllers_own_writes_are_left_out_whatever_its_name() -> None:
    webhook = configuration("https://portal", CA, 'a"b\\c', apis=APIS)["webhooks"][0]
    expression = webhook["matchConditions"][0]["expression"]
    left, _, right = expression.partition(" != ")
    assert left == "request.userInfo.username"
    assert json.loads(right) == 'a"b\\c'


def test_a_service_and_the_api_servers_own_authorities_can_be_named() -> None:
    service = ServiceReference("cycloud-system", "cycloud-webhook", 8443)
    assert conversion_client_config(service, b"") == {
        "service": {
            "namespace": "cycloud-system",
            "name": "cycloud-webhook",
            "port": 8443,
            "path": "/convert",
        }
    }


def test_it_can_be_limited_to_some_namespaces_under_a_name_of_its_own() -> None:
    selector = {"matchLabels": {"kubernetes.io/metadata.name": "demo"}}
    found = configuration("https://p", CA, "c", name="mine", namespace_selector=selector, apis=APIS)
    assert found["metadata"]["name"] == "mine"
    assert found["webhooks"][0]["namespaceSelector"] == selector
