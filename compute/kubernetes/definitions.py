"""The custom resources of compute."""

from typing import Final

from compute.kubernetes.definitions_instance import (
    INSTANCE_DEFINITION,
    PLACEMENT_GROUP_DEFINITION,
)
from compute.kubernetes.definitions_provider import PROVIDER_DEFINITIONS
from compute.kubernetes.definitions_volume import VOLUME_DEFINITION

__all__ = ["DEFINITIONS"]

DEFINITIONS: Final = (
    INSTANCE_DEFINITION,
    PLACEMENT_GROUP_DEFINITION,
    VOLUME_DEFINITION,
    *PROVIDER_DEFINITIONS,
)
