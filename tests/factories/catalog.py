"""What operators offer. Names of clusters are such that a leak into a user's answer is easy to see."""

import factory
from factory.django import DjangoModelFactory

from catalog.models import (
    AvailabilityZone,
    InstanceFamily,
    InstancePlacement,
    InstanceType,
    OpenStackCluster,
    PublicImage,
    PublicOpenStackImage,
    VolumePlacement,
    VolumeType,
)


class AvailabilityZoneFactory(DjangoModelFactory[AvailabilityZone]):
    class Meta:
        model = AvailabilityZone

    resource_id = factory.Sequence(lambda n: f"zone{n}")


class OpenStackClusterFactory(DjangoModelFactory[OpenStackCluster]):
    class Meta:
        model = OpenStackCluster

    resource_id = factory.Sequence(lambda n: f"secret-cluster-{n}")
    controller_name = factory.LazyAttribute(lambda o: f"kvm-{o.resource_id}")
    availability_zone = factory.SubFactory(AvailabilityZoneFactory)
    cloud_name = factory.Sequence(lambda n: f"cloud{n}")
    manages_networks = True


class InstanceFamilyFactory(DjangoModelFactory[InstanceFamily]):
    class Meta:
        model = InstanceFamily

    resource_id = factory.Sequence(lambda n: f"m{n}a")


class InstanceTypeFactory(DjangoModelFactory[InstanceType]):
    class Meta:
        model = InstanceType

    family = factory.SubFactory(InstanceFamilyFactory)
    resource_id = factory.LazyAttribute(lambda o: f"{o.family.resource_id}.medium")
    vcpus = 2
    memory_mib = 4096


class InstancePlacementFactory(DjangoModelFactory[InstancePlacement]):
    class Meta:
        model = InstancePlacement

    instance_type = factory.SubFactory(InstanceTypeFactory)
    cluster = factory.SubFactory(OpenStackClusterFactory)
    availability_zone = factory.SelfAttribute("cluster.availability_zone")
    provider_id = factory.Sequence(lambda n: f"flavor-{n}")


class VolumeTypeFactory(DjangoModelFactory[VolumeType]):
    class Meta:
        model = VolumeType

    resource_id = factory.Sequence(lambda n: f"cgp{n}")


class VolumePlacementFactory(DjangoModelFactory[VolumePlacement]):
    class Meta:
        model = VolumePlacement

    volume_type = factory.SubFactory(VolumeTypeFactory)
    cluster = factory.SubFactory(OpenStackClusterFactory)
    provider_id = factory.Sequence(lambda n: f"volume-type-{n}")
    provider_type = "shared"
    backend_host = factory.LazyAttribute(lambda o: f"cinder-{o.cluster.resource_id}@shared#shared")


class PublicImageFactory(DjangoModelFactory[PublicImage]):
    class Meta:
        model = PublicImage

    resource_id = factory.Sequence(lambda n: f"ubuntu-24.{n}")


class PublicOpenStackImageFactory(DjangoModelFactory[PublicOpenStackImage]):
    class Meta:
        model = PublicOpenStackImage

    public_image = factory.SubFactory(PublicImageFactory)
    cluster = factory.SubFactory(OpenStackClusterFactory)
    provider_id = factory.Sequence(lambda n: f"image-{n}")
