"""The operators' pages: what they save goes through the services, what those refuse is shown."""

import pytest
from django.test import Client
from django.urls import reverse

from catalog.models import (
    AvailabilityZone,
    InstanceFamily,
    InstanceType,
    OpenStackCluster,
    PublicImage,
    VolumeType,
)
from catalog.selectors.cluster_access import cluster_access
from cycloud.core.iam.models import AuditEntry
from tests.factories.catalog import (
    AvailabilityZoneFactory,
    InstanceFamilyFactory,
    InstancePlacementFactory,
    InstanceTypeFactory,
    OpenStackClusterFactory,
    PublicOpenStackImageFactory,
    VolumePlacementFactory,
)
from tests.factories.iam import UserFactory


def page(name: str, *args: object) -> str:
    return reverse(f"admin:catalog_{name}", args=args)


def inline(prefix: str, rows: list[dict[str, object]], initial: int = 0) -> dict[str, object]:
    """The fields of an inline formset, as the browser sends them."""
    data: dict[str, object] = {
        f"{prefix}-TOTAL_FORMS": len(rows),
        f"{prefix}-INITIAL_FORMS": initial,
        f"{prefix}-MIN_NUM_FORMS": 0,
        f"{prefix}-MAX_NUM_FORMS": 1000,
    }
    for index, row in enumerate(rows):
        data |= {f"{prefix}-{index}-{name}": value for name, value in row.items()}
    return data


def errors_on(response: object) -> dict[str, list[str]]:
    form = response.context["adminform"].form  # type: ignore[attr-defined]
    return {name: list(texts) for name, texts in form.errors.items()}


def test_a_zone_is_made_changed_and_deleted(operator: Client) -> None:
    operator.post(page("availabilityzone_add"), {"resource_id": "z1", "display_name": "One"})
    zone = AvailabilityZone.objects.get()
    change = page("availabilityzone_change", zone.pk)
    assert operator.post(change, {"display_name": "Zone 1"}).status_code == 302
    zone.refresh_from_db()
    assert (zone.resource_id, zone.display_name, zone.revision) == ("z1", "Zone 1", 2)
    operator.post(page("availabilityzone_delete", zone.pk), {"post": "yes"})
    assert not AvailabilityZone.objects.exists()
    methods = AuditEntry.objects.order_by("pk").values_list("method", flat=True)
    assert list(methods) == [f"{verb}AvailabilityZone" for verb in ("Create", "Update", "Delete")]


def test_what_a_service_refuses_is_shown_at_its_field(operator: Client) -> None:
    response = operator.post(page("availabilityzone_add"), {"resource_id": "Not An Id"})
    assert response.status_code == 200
    assert "is not an id of the catalog" in errors_on(response)["resource_id"][0]
    assert not AvailabilityZone.objects.exists()


def test_a_type_is_saved_with_its_placements(operator: Client) -> None:
    family = InstanceFamilyFactory.create()
    first, second = OpenStackClusterFactory.create(), OpenStackClusterFactory.create()
    data = {"resource_id": "m7a.small", "family": family.pk, "vcpus": 1, "memory_mib": 1024}
    rows: list[dict[str, object]] = [{"cluster": first.pk, "provider_id": "f-1"}]
    response = operator.post(page("instancetype_add"), data | inline("placements", rows))
    assert response.status_code == 302
    made = InstanceType.objects.get()
    placement = made.placements.get()
    assert (placement.availability_zone, placement.provider_id) == (first.availability_zone, "f-1")

    rows = [
        {"id": placement.pk, "cluster": first.pk, "provider_id": "f-1", "DELETE": "on"},
        {"cluster": second.pk, "provider_id": "f-2"},
    ]
    change = page("instancetype_change", made.pk)
    response = operator.post(change, data | inline("placements", rows, initial=1))
    assert response.status_code == 302
    assert [p.cluster for p in made.placements.all()] == [second]


def test_two_placements_in_one_zone_are_refused_above_the_form(operator: Client) -> None:
    family, zone = InstanceFamilyFactory.create(), AvailabilityZoneFactory.create()
    rows: list[dict[str, object]] = [
        {"cluster": OpenStackClusterFactory.create(availability_zone=zone).pk, "provider_id": "f"}
        for _ in range(2)
    ]
    data = {"resource_id": "m7a.small", "family": family.pk, "vcpus": 1, "memory_mib": 1024}
    response = operator.post(page("instancetype_add"), data | inline("placements", rows))
    assert "two entries for the zone" in errors_on(response)["__all__"][0]
    assert not InstanceType.objects.exists()


def test_a_volume_type_and_an_image_are_saved_with_their_ids(operator: Client) -> None:
    cluster = OpenStackClusterFactory.create()
    sizes = {"minimum_gib": 1, "maximum_gib": 10, "granularity_gib": 1, "retention_seconds": 60}
    row = {"provider_id": "t", "provider_type": "shared", "backend_host": "h@b#p"}
    response = operator.post(
        page("volumetype_add"),
        {"resource_id": "cgp1", **sizes, **inline("placements", [{"cluster": cluster.pk, **row}])},
    )
    assert response.status_code == 302
    assert VolumeType.objects.get().placements.get().backend_host == "h@b#p"
    response = operator.post(
        page("publicimage_add"),
        {"resource_id": "ubuntu-24.04", "minimum_gib": 2}
        | inline("provider_images", [{"cluster": cluster.pk, "provider_id": "i"}]),
    )
    assert response.status_code == 302
    assert PublicImage.objects.get().provider_images.get().provider_id == "i"


def cluster_form(**values: object) -> dict[str, object]:
    return {
        "controller_name": "kvm-1",
        "auth_url": "http://127.0.0.1:5000/v3",
        "username": "cycloud",
        "project_name": "cycloud",
        "user_domain_name": "Default",
        "project_domain_name": "Default",
        **values,
    }


def test_a_password_goes_in_and_never_comes_out(operator: Client) -> None:
    zone = AvailabilityZoneFactory.create()
    data = cluster_form(resource_id="gen7", availability_zone=zone.pk, password="s3cret-word")
    assert operator.post(page("openstackcluster_add"), data).status_code == 302
    cluster = OpenStackCluster.objects.get()
    assert cluster_access(cluster).password == "s3cret-word"
    assert "s3cret-word" not in cluster.encrypted_password

    change = page("openstackcluster_change", cluster.pk)
    shown = operator.get(change).content.decode()
    assert "s3cret-word" not in shown and cluster.encrypted_password not in shown
    # left empty, it stays
    assert operator.post(change, cluster_form(display_name="Seven")).status_code == 302
    cluster.refresh_from_db()
    assert cluster.display_name == "Seven"
    assert cluster_access(cluster).password == "s3cret-word"
    # and where the form comes back with an error, it is not in it
    response = operator.post(change, cluster_form(password="n3w-word", auth_url="ftp://x"))
    assert response.status_code == 200
    assert "n3w-word" not in response.content.decode()
    assert "s3cret-word" not in str(list(AuditEntry.objects.values()))


def test_a_state_changes_after_it_is_confirmed(operator: Client) -> None:
    cluster = OpenStackClusterFactory.create()
    drain = reverse("admin:catalog_openstackcluster_drain", args=[cluster.pk])
    assert "Set the cluster to Draining?" in operator.get(drain).content.decode()
    cluster.refresh_from_db()
    assert cluster.state == "Active"
    response = operator.post(drain, {"_form_submitted": "on"})
    assert response.headers["HX-Redirect"] == page("openstackcluster_change", cluster.pk)
    cluster.refresh_from_db()
    assert cluster.state == "Draining"


def test_a_state_that_cannot_be_is_refused_in_words(operator: Client) -> None:
    cluster = OpenStackClusterFactory.create()
    retire = reverse("admin:catalog_openstackcluster_retire", args=[cluster.pk])
    operator.post(retire, {"_form_submitted": "on"})
    cluster.refresh_from_db()
    assert cluster.state == "Active"
    shown = operator.get(page("openstackcluster_change", cluster.pk)).content.decode()
    assert "cannot become Retired" in shown


def test_what_is_used_stays_and_the_page_says_why(operator: Client) -> None:
    placement = InstancePlacementFactory.create()
    response = operator.post(
        page("openstackcluster_delete", placement.cluster.pk), {"post": "yes"}, follow=True
    )
    assert OpenStackCluster.objects.exists()
    assert "instance placement" in response.content.decode().lower()


@pytest.mark.parametrize(
    "name", ["availabilityzone", "instancefamily", "instancetype", "volumetype", "publicimage"]
)
def test_every_list_and_page_opens(operator: Client, name: str) -> None:
    InstancePlacementFactory.create()
    VolumePlacementFactory.create()
    PublicOpenStackImageFactory.create()
    models = {
        model._meta.model_name: model
        for model in (AvailabilityZone, InstanceFamily, InstanceType, VolumeType, PublicImage)
    }
    row = models[name].objects.all()[0]
    assert operator.get(page(f"{name}_changelist")).status_code == 200
    assert operator.get(page(f"{name}_add")).status_code == 200
    assert operator.get(page(f"{name}_change", row.pk)).status_code == 200


def test_lists_have_a_constant_number_of_queries(
    operator: Client, django_assert_max_num_queries: object
) -> None:
    for _ in range(5):
        InstancePlacementFactory.create()
    assert InstanceType.objects.count() == 5
    with django_assert_max_num_queries(14):  # type: ignore[operator]
        operator.get(page("instancetype_changelist"))


def test_only_operators_come_in(db: None) -> None:
    InstanceTypeFactory.create()
    client = Client()
    client.force_login(UserFactory.create())
    assert client.get(page("instancetype_changelist")).status_code == 302


def test_a_staff_member_without_django_permissions_is_an_operator(db: None) -> None:
    client = Client()
    client.force_login(UserFactory.create(is_staff=True))
    assert client.get(page("instancetype_changelist")).status_code == 200
    client.post(page("availabilityzone_add"), {"resource_id": "z1"})
    assert AvailabilityZone.objects.filter(resource_id="z1").exists()
