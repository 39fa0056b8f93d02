"""Keeping the clusters' passwords encrypted, and changing the key that they are encrypted with."""

import logging

from django.conf import settings
from django.db import transaction

from catalog.domain.sealed_text import CannotOpen, reseal_text, seal_text
from catalog.models import OpenStackCluster
from cycloud.core.aip.errors import FailedPrecondition
from cycloud.core.iam.access import audit, require_permission
from cycloud.core.iam.actor import Actor

__all__ = ["rotate_keys", "seal_password"]

logger = logging.getLogger(__name__)


def seal_password(password: str) -> str:
    """Encrypt with the first of settings.CYCLOUD_FIELD_KEYS."""
    return seal_text(settings.CYCLOUD_FIELD_KEYS, password)


def rotate_keys(*, actor: Actor) -> int:
    """Encrypt all stored passwords anew with the first key; return how many. May be repeated.

    All or nothing: raises FailedPrecondition naming the cluster whose password no key opens. The
    credentials themselves stay the same, so sessions are kept and no revision grows.
    """
    require_permission(actor, "catalog.openStackClusters.rotateKeys")
    count = 0
    with transaction.atomic():
        for cluster in OpenStackCluster.objects.select_for_update().exclude(encrypted_password=""):
            try:
                sealed = reseal_text(settings.CYCLOUD_FIELD_KEYS, cluster.encrypted_password)
            except CannotOpen:
                raise FailedPrecondition(
                    f"The password of {cluster.name} cannot be read with any key in CYCLOUD_FIELD_KEYS. "
                    "Add the key that it was stored with, or enter the password again.",
                    resource=cluster.name,
                    reason="KEY_MISSING",
                ) from None
            cluster.encrypted_password = sealed
            cluster.save(update_fields=["encrypted_password"])
            count += 1
        audit(actor, "RotateKeys", "openStackClusters", count=count)
    logger.info("encrypted %d passwords with the first key", count)
    return count
