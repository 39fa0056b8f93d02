"""Rows of compute, and a small world in which instances can be declared and moved."""

from dataclasses import dataclass
from typing import Any

import factory
from factory.django import DjangoModelFactory

from catalog.models import AvailabilityZone, InstanceType, OpenStackCluster, PublicImage, VolumeType
from compute.models import (
    Instance,
    NetworkAttachment,
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
    Volume,
    VolumeAttachment,
    VolumeBinding,
)
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import Project
from networking.models import NetworkInterface, Subnet
from tests.factories.catalog import (
    AvailabilityZoneFactory,
    InstancePlacementFactory,
    InstanceTypeFactory,
    OpenStackClusterFactory,
    PublicImageFactory,
    VolumePlacementFactory,
    VolumeTypeFactory,
)
from tests.factories.iam import ProjectFactory
from tests.factories.networking import NetworkInterfaceFactory, SubnetFactory, VpcFactory


class InstanceFactory(DjangoModelFactory[Instance]):
    class Meta:
        model = Instance

    project = factory.SubFactory(ProjectFactory)
    resource_id = factory.Sequence(lambda n: f"instance-{n}")
    availability_zone = factory.SubFactory(AvailabilityZoneFactory)
    instance_type = factory.SubFactory(InstanceTypeFactory)
    run_instance_type = factory.SelfAttribute("instance_type")


class VolumeFactory(DjangoModelFactory[Volume]):
    class Meta:
        model = Volume

    project = factory.SubFactory(ProjectFactory)
    resource_id = factory.Sequence(lambda n: f"volume-{n}")
    availability_zone = factory.SubFactory(AvailabilityZoneFactory)
    volume_type = factory.SubFactory(VolumeTypeFactory)
    size_gib = 10


class VolumeAttachmentFactory(DjangoModelFactory[VolumeAttachment]):
    class Meta:
        model = VolumeAttachment

    instance = factory.SubFactory(InstanceFactory)
    volume = factory.SubFactory(
        VolumeFactory,
        project=factory.SelfAttribute("..instance.project"),
        availability_zone=factory.SelfAttribute("..instance.availability_zone"),
    )
    device_index = 0


class NetworkAttachmentFactory(DjangoModelFactory[NetworkAttachment]):
    class Meta:
        model = NetworkAttachment

    instance = factory.SubFactory(InstanceFactory)
    network_interface = factory.SubFactory(
        NetworkInterfaceFactory,
        subnet__vpc__project=factory.SelfAttribute("....instance.project"),
        subnet__availability_zone=factory.SelfAttribute("...instance.availability_zone"),
    )
    device_index = 0


class VolumeBindingFactory(DjangoModelFactory[VolumeBinding]):
    """The binding of ``volume``, with its data in ``cluster``."""

    class Meta:
        model = VolumeBinding
        exclude = ("volume",)

    volume = factory.SubFactory(VolumeFactory)
    volume_uid = factory.SelfAttribute("volume.uid")
    volume_name = factory.LazyAttribute(lambda o: o.volume.name)
    project = factory.SelfAttribute("volume.project")
    provider_type = "shared"
    cluster = factory.SubFactory(OpenStackClusterFactory)
    provider_id = factory.Sequence(lambda n: f"provider-volume-{n}")
    created = True


class OpenStackVolumeFactory(DjangoModelFactory[OpenStackVolume]):
    class Meta:
        model = OpenStackVolume

    binding = factory.SubFactory(VolumeBindingFactory)
    cluster = factory.SelfAttribute("binding.cluster")
    volume_type = factory.SubFactory(VolumeTypeFactory)
    size_gib = 10
    provider_id = factory.SelfAttribute("binding.provider_id")
    provider_state = "available"


class OpenStackInstanceFactory(DjangoModelFactory[OpenStackInstance]):
    class Meta:
        model = OpenStackInstance

    instance = factory.SubFactory(InstanceFactory)
    cluster = factory.SubFactory(OpenStackClusterFactory)
    flavor_id = "flavor-1"
    run = factory.SelfAttribute("instance.run")


class OpenStackNetworkInterfaceFactory(DjangoModelFactory[OpenStackNetworkInterface]):
    class Meta:
        model = OpenStackNetworkInterface

    network_interface = factory.SubFactory(NetworkInterfaceFactory)
    cluster = factory.SubFactory(OpenStackClusterFactory)


@dataclass(frozen=True)
class World:
    """One zone with two clusters over one storage, and a project with a subnet in it.

    The types ``small`` and ``medium`` are in cluster ``old``, ``new_small`` is in ``new``.
    ``types`` of volumes: ``shared`` in both clusters over one storage, ``local`` in both over storages
    of their own, ``old_only`` in the old cluster alone.
    """

    project: Project
    other_project: Project
    zone: AvailabilityZone
    other_zone: AvailabilityZone
    old: OpenStackCluster
    new: OpenStackCluster
    small: InstanceType
    medium: InstanceType
    new_small: InstanceType
    unplaced: InstanceType
    shared: VolumeType
    local: VolumeType
    old_only: VolumeType
    image: PublicImage
    subnet: Subnet
    other_zone_subnet: Subnet

    def actor(self, role: Role = Role.EDITOR) -> Actor:
        return Actor(principal=f"users/{role.value}", roles={self.project.resource_id: role})

    def volume(self, **fields: Any) -> Volume:
        """A free volume of the project, whose data is in the old cluster."""
        data_in = fields.pop("data_in", self.old)
        blockers = fields.pop("blockers", [])
        provider_type = fields.pop("provider_type", "shared")
        fields = {
            "project": self.project,
            "availability_zone": self.zone,
            "volume_type": self.shared,
            **fields,
        }
        volume: Volume = VolumeFactory.create(**fields)
        if data_in is not None:
            binding = VolumeBindingFactory.create(
                volume=volume, cluster=data_in, provider_type=provider_type
            )
            OpenStackVolumeFactory.create(
                binding=binding, volume_type=volume.volume_type, blockers=blockers
            )
        return volume

    def network_interface(self, **fields: Any) -> NetworkInterface:
        interface: NetworkInterface = NetworkInterfaceFactory.create(
            **{"subnet": self.subnet, **fields}
        )
        return interface

    def instance(self, *, volumes: int = 1, **fields: Any) -> Instance:
        """An instance of type ``small`` that is in the old cluster, with its volumes' data there."""
        fields = {
            "project": self.project,
            "availability_zone": self.zone,
            "instance_type": self.small,
            **fields,
        }
        instance: Instance = InstanceFactory.create(**fields)
        for index in range(volumes):
            VolumeAttachmentFactory.create(
                instance=instance, volume=self.volume(), device_index=index
            )
        NetworkAttachmentFactory.create(
            instance=instance, network_interface=self.network_interface()
        )
        OpenStackInstanceFactory.create(instance=instance, cluster=self.old)
        return instance


def make_world() -> World:
    zone, other_zone = AvailabilityZoneFactory.create_batch(2)
    old, new = OpenStackClusterFactory.create_batch(2, availability_zone=zone)
    small, medium, new_small, unplaced = InstanceTypeFactory.create_batch(4)
    for kind, cluster in ((small, old), (medium, old), (new_small, new)):
        InstancePlacementFactory.create(instance_type=kind, availability_zone=zone, cluster=cluster)
    shared, local, old_only = VolumeTypeFactory.create_batch(
        3, minimum_gib=10, maximum_gib=1000, granularity_gib=10, retention_seconds=3600
    )
    for volume_type, cluster, storage in (
        (shared, old, "shared"),
        (shared, new, "shared"),
        (local, old, "local-old"),
        (local, new, "local-new"),
        (old_only, old, "shared"),
    ):
        VolumePlacementFactory.create(
            volume_type=volume_type, cluster=cluster, provider_type=storage
        )
    project, other_project = ProjectFactory.create_batch(2)
    vpc = VpcFactory.create(project=project)
    return World(
        project=project,
        other_project=other_project,
        zone=zone,
        other_zone=other_zone,
        old=old,
        new=new,
        small=small,
        medium=medium,
        new_small=new_small,
        unplaced=unplaced,
        shared=shared,
        local=local,
        old_only=old_only,
        image=PublicImageFactory.create(minimum_gib=20),
        subnet=SubnetFactory.create(
            project=project, vpc=vpc, availability_zone=zone, cidr="10.0.1.0/24"
        ),
        other_zone_subnet=SubnetFactory.create(
            project=project, vpc=vpc, availability_zone=other_zone, cidr="10.0.2.0/24"
        ),
    )
