"""How the admin looks: the ``UNFOLD`` setting."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy

__all__ = ["UNFOLD"]


def _item(title: str, icon: str, model: str) -> dict[str, Any]:
    return {"title": title, "icon": icon, "link": reverse_lazy(f"admin:{model}_changelist")}


def _has_kubernetes(request: HttpRequest) -> bool:
    return bool(settings.CYCLOUD_KUBERNETES_ENABLED)


def _styles(request: HttpRequest) -> str:
    return static("admin/cycloud.css")


def _favicon(request: HttpRequest) -> str:
    return static("console/icon.svg")


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Cycloud operations",
    "SITE_HEADER": "Cycloud",
    "SITE_SUBHEADER": "Operations",
    "SITE_SYMBOL": "cloud_sync",
    "SITE_URL": "/",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": _favicon}],
    "STYLES": [_styles],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "COLORS": {
        "primary": {
            "50": "oklch(97.0% .014 254.6)",
            "100": "oklch(93.2% .032 255.6)",
            "200": "oklch(88.2% .059 254.1)",
            "300": "oklch(80.9% .105 251.8)",
            "400": "oklch(70.7% .165 254.6)",
            "500": "oklch(62.3% .214 259.8)",
            "600": "oklch(54.6% .245 262.9)",
            "700": "oklch(48.8% .243 264.4)",
            "800": "oklch(42.4% .199 265.6)",
            "900": "oklch(37.9% .146 265.5)",
            "950": "oklch(28.2% .091 267.9)",
        }
    },
    "SIDEBAR": {
        "show_search": True,
        "show_all_applications": False,
        "navigation": [
            {
                "title": "Compute",
                "separator": True,
                "items": [
                    _item("Instances", "dns", "compute_instance"),
                    _item("Volumes", "hard_drive", "compute_volume"),
                    _item("Volume bindings", "link", "compute_volumebinding"),
                ],
            },
            {
                "title": "In the clusters",
                "separator": True,
                "items": [
                    _item("Servers", "memory", "compute_openstackinstance"),
                    _item("Volumes there", "storage", "compute_openstackvolume"),
                    _item("Ports", "settings_ethernet", "compute_openstacknetworkinterface"),
                ],
            },
            {
                "title": "Engine",
                "separator": True,
                "items": [
                    _item("Reconcile queue", "sync", "reconcile_duerow"),
                    _item("Operations", "pending_actions", "aip_operation"),
                    {
                        **_item(
                            "Kubernetes namespaces", "deployed_code", "kubernetes_namespacebinding"
                        ),
                        "permission": _has_kubernetes,
                    },
                ],
            },
            {
                "title": "Catalog",
                "separator": True,
                "items": [
                    _item("Zones", "location_on", "catalog_availabilityzone"),
                    _item("Clusters", "cloud", "catalog_openstackcluster"),
                    _item("Instance families", "category", "catalog_instancefamily"),
                    _item("Instance types", "tune", "catalog_instancetype"),
                    _item("Volume types", "database", "catalog_volumetype"),
                    _item("Images", "photo_library", "catalog_publicimage"),
                ],
            },
            {
                "title": "Networking",
                "separator": True,
                "items": [
                    _item("VPCs", "hub", "networking_vpc"),
                    _item("Subnets", "lan", "networking_subnet"),
                    _item("Network interfaces", "cable", "networking_networkinterface"),
                ],
            },
            {
                "title": "Identity and access",
                "separator": True,
                "items": [
                    _item("Users", "person", "iam_user"),
                    _item("OIDC identities", "badge", "iam_oidcidentity"),
                    _item("Projects", "folder", "iam_project"),
                    _item("Quotas", "speed", "quotas_projectquota"),
                    _item("Members", "group", "iam_membership"),
                    _item("Service accounts", "smart_toy", "iam_serviceaccount"),
                    _item("API tokens", "key", "iam_apitoken"),
                    _item("Audit log", "receipt_long", "iam_auditentry"),
                ],
            },
        ],
    },
}
