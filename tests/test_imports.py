"""What a process loads: nothing that it has no use for."""

import subprocess
import sys

PROGRAM = """
import sys
import django
django.setup()
from django.conf import settings
from django.utils.module_loading import import_string
from cycloud.core.reconcile.registry import controller, is_held
import cycloud.embedded.management.commands.up, cycloud.asgi, cycloud.urls, cycloud.rpc
from django.contrib import admin
admin.autodiscover()
for name in settings.CYCLOUD_CONTROLLERS:
    if name != "kubernetes":
        controller(name)
is_held("cycloud")
print("kubernetes" in sys.modules)
"""


def test_without_kubernetes_its_client_is_never_loaded() -> None:
    """40 MiB and half a second of each process's start."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={"DJANGO_SETTINGS_MODULE": "cycloud.settings.test"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.strip() == "False"
