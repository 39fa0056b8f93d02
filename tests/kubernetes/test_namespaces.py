import pytest
from django.conf import LazySettings

from cycloud.core.iam.models import Project
from cycloud.core.reconcile.outcomes import Wait
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.namespaces import (
    binding_for,
    default_namespace,
    names_in_namespace,
    project_of,
)
from tests.kubernetes.conftest import Sync
from tests.support.kubernetes.server import ApiServer
from tests.support.kubernetes.steps import NAME
from tests.support.kubernetes.widgets import TEAM, WIDGET, Widgets


def test_a_project_has_a_namespace_of_its_own_name_behind_the_prefix() -> None:
    assert default_namespace("shop") == "cycloud-shop"


def test_the_longest_id_still_has_a_name_of_63_characters_and_of_its_own() -> None:
    first, second = (default_namespace(f"{'a' * 62}{letter}") for letter in "bc")

    assert len(first) == len(second) == 63
    assert first != second


def test_no_project_gets_the_namespace_of_cycloud_itself(settings: LazySettings) -> None:
    assert settings.CYCLOUD_KUBERNETES_NAMESPACE == "cycloud-system"

    assert default_namespace("system").startswith("cycloud-system-")


@pytest.mark.django_db
def test_a_binding_is_made_at_the_first_need_and_stays() -> None:
    Project.objects.create(resource_id="shop")

    first, second = binding_for("shop"), binding_for("shop")

    assert first == second
    assert first is not None
    assert (first.namespace, first.is_ours, first.service_account) == ("cycloud-shop", True, None)
    assert project_of("cycloud-shop") == "shop"


@pytest.mark.django_db
def test_a_project_whose_usual_namespace_was_given_away_gets_another(
    settings: LazySettings,
) -> None:
    settings.CYCLOUD_KUBERNETES_NAMESPACE_PREFIX = ""
    first, second = (Project.objects.create(resource_id=name) for name in ("first", "second"))
    NamespaceBinding.objects.create(project=first, namespace="second", is_ours=False)

    binding = binding_for(second.resource_id)

    assert binding is not None
    assert binding.namespace.startswith("second-")
    assert (binding.project, binding.is_ours) == (second, True)


@pytest.mark.django_db
def test_of_no_project_there_is_no_binding() -> None:
    assert binding_for("nobody") is None


@pytest.mark.django_db
def test_names_in_a_namespace_of_nobody_are_the_namespaces() -> None:
    assert names_in_namespace("x", "widgets", ["a"]) == ["namespaces/x/widgets/a"]


def test_a_given_namespace_is_waited_for_and_not_made(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    binding.is_ours = False
    binding.save()
    widgets.add(NAME)

    assert isinstance(sync.run(NAME), Wait)

    assert api.store.listing("", "namespaces", "")[0] == []
    assert api.store.listing(WIDGET.group, "widgets", TEAM)[0] == []
