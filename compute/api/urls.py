"""The collections that compute serves over REST."""

from typing import Any

from compute.api.instances import Instances
from compute.api.volumes import Volumes
from cycloud.core.aip.collection import Collection

COLLECTIONS: list[Collection[Any]] = [Instances(), Volumes()]
