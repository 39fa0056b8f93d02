"""The collections that networking serves over REST."""

from typing import Any

from cycloud.core.aip.collection import Collection
from networking.api.network_interfaces import NetworkInterfaces
from networking.api.subnets import Subnets
from networking.api.vpcs import Vpcs

COLLECTIONS: list[Collection[Any]] = [Vpcs(), Subnets(), NetworkInterfaces()]
