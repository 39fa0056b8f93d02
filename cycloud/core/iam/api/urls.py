"""The collections that IAM serves."""

from typing import Any

from cycloud.core.aip.collection import Collection
from cycloud.core.iam.api.audit_entries import AuditEntries
from cycloud.core.iam.api.keys import ServiceAccountKeys
from cycloud.core.iam.api.members import Members
from cycloud.core.iam.api.projects import Projects
from cycloud.core.iam.api.service_accounts import ServiceAccounts
from cycloud.core.iam.api.tokens import Tokens

COLLECTIONS: list[Collection[Any]] = [
    Projects(),
    Members(),
    ServiceAccounts(),
    ServiceAccountKeys(),
    Tokens(),
    AuditEntries(),
]
