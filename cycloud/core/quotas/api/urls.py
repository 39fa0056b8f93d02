"""The collections that quotas serve over REST."""

from typing import Any

from cycloud.core.aip.collection import Collection
from cycloud.core.quotas.api.quotas import Quotas

COLLECTIONS: list[Collection[Any]] = [Quotas()]
