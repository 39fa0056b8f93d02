"""URLs of the console; included at the root of the portal."""

from django.urls import URLPattern, path

from cycloud.console.views import (
    instance_changes,
    instances,
    network_interfaces,
    operations,
    projects,
    session,
    subnets,
    volumes,
)

app_name = "console"
_P = "projects/<str:project_id>/"
_I = f"{_P}instances/<str:instance_id>/"
_V = f"{_P}volumes/<str:volume_id>/"

urlpatterns: list[URLPattern] = [
    path("", projects.home, name="home"),
    path("sign-in/", session.SignIn.as_view(), name="sign-in"),
    path("sign-out/", session.SignOut.as_view(), name="sign-out"),
    path("projects/", projects.project_list, name="projects"),
    path(f"{_P}instances/", instances.instance_list, name="instances"),
    path(f"{_P}instances/new/", instances.instance_create, name="instance-create"),
    path(_I, instances.instance_detail, name="instance"),
    path(f"{_I}change-type/", instance_changes.change_type, name="instance-change-type"),
    path(f"{_I}attach-volume/", instance_changes.attach, name="instance-attach-volume"),
    path(f"{_I}detach-volume/", instance_changes.detach, name="instance-detach-volume"),
    path(f"{_I}protect/", instance_changes.protect, name="instance-protect"),
    path(f"{_I}check/<str:verb>/", instance_changes.check, name="instance-check"),
    path(f"{_I}do/<str:verb>/", instance_changes.do, name="instance-do"),
    path(f"{_P}volumes/", volumes.volume_list, name="volumes"),
    path(f"{_P}volumes/new/", volumes.volume_create, name="volume-create"),
    path(_V, volumes.volume_detail, name="volume"),
    path(f"{_V}grow/", volumes.volume_grow, name="volume-grow"),
    path(f"{_V}do/<str:verb>/", volumes.volume_do, name="volume-do"),
    path(f"{_P}network-interfaces/", network_interfaces.listing, name="network-interfaces"),
    path(
        f"{_P}network-interfaces/new/", network_interfaces.create, name="network-interface-create"
    ),
    path(
        f"{_P}network-interfaces/<str:network_interface_id>/delete/",
        network_interfaces.delete,
        name="network-interface-delete",
    ),
    path(f"{_P}subnets/", subnets.listing, name="subnets"),
    path(f"{_P}subnets/new/", subnets.create, name="subnet-create"),
    path(f"{_P}subnets/new-vpc/", subnets.create_network, name="vpc-create"),
    path(f"{_P}operations/", operations.operation_list, name="operations"),
]
