"""VPCs, subnets (with their free addresses) and network interfaces (with an address of the subnet)."""

from typing import Any

import factory
from django.db import transaction
from factory.django import DjangoModelFactory

from networking.domain.addresses import to_number, to_text
from networking.models import VPC, NetworkInterface, OpenStackSubnet, Subnet
from networking.services.addresses import (
    Strategy,
    allocate,
    draw_mac_address,
    lock_subnet,
    open_ranges,
)
from tests.factories.catalog import AvailabilityZoneFactory, OpenStackClusterFactory
from tests.factories.iam import ProjectFactory


class VpcFactory(DjangoModelFactory[VPC]):
    class Meta:
        model = VPC

    project = factory.SubFactory(ProjectFactory)
    resource_id = factory.Sequence(lambda n: f"vpc-{n}")


class SubnetFactory(DjangoModelFactory[Subnet]):
    class Meta:
        model = Subnet

    vpc = factory.SubFactory(VpcFactory)
    project = factory.SelfAttribute("vpc.project")
    availability_zone = factory.SubFactory(AvailabilityZoneFactory)
    resource_id = factory.Sequence(lambda n: f"subnet-{n}")
    cidr = factory.Sequence(lambda n: f"10.{n // 256 % 256}.{n % 256}.0/24")
    gateway_ip = factory.LazyAttribute(
        lambda o: to_text(to_number(o.cidr.partition("/")[0], "cidr") + 1)
    )

    @classmethod
    def _create(cls, model_class: type[Subnet], *args: Any, **kwargs: Any) -> Subnet:
        subnet: Subnet = super()._create(model_class, *args, **kwargs)
        open_ranges(subnet)
        return subnet


class NetworkInterfaceFactory(DjangoModelFactory[NetworkInterface]):
    """``ip_address``: one of the subnet; the lowest free one if none is given."""

    class Meta:
        model = NetworkInterface

    subnet = factory.SubFactory(SubnetFactory)
    project = factory.SelfAttribute("subnet.project")
    resource_id = factory.Sequence(lambda n: f"ni-{n}")
    mac_address = factory.LazyFunction(draw_mac_address)

    @classmethod
    def _create(
        cls, model_class: type[NetworkInterface], *args: Any, **kwargs: Any
    ) -> NetworkInterface:
        wanted = kwargs.pop("ip_address", None)
        with transaction.atomic():
            subnet = lock_subnet(kwargs["subnet"].pk)
            number = allocate(
                subnet,
                wanted=to_number(wanted, "ip_address") if wanted else None,
                strategy=Strategy.LOWEST,
            )
            kwargs |= {"ip_number": number, "ip_address": to_text(number)}
            interface: NetworkInterface = super()._create(model_class, *args, **kwargs)
        return interface


class OpenStackSubnetFactory(DjangoModelFactory[OpenStackSubnet]):
    class Meta:
        model = OpenStackSubnet

    subnet = factory.SubFactory(SubnetFactory)
    cluster = factory.SubFactory(
        OpenStackClusterFactory,
        availability_zone=factory.SelfAttribute("..subnet.availability_zone"),
    )
    provider_network_id = factory.Sequence(lambda n: f"network-{n}")
    provider_subnet_id = factory.Sequence(lambda n: f"subnet-{n}")
