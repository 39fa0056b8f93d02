"""Network interfaces: the list, making and deleting."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from cycloud.console.forms.errors import show_error
from cycloud.console.forms.network import InterfaceForm
from cycloud.console.page import (
    ProjectPage,
    is_fragment_request,
    project_view,
    render_page,
    tell_outcome,
)
from cycloud.core.aip.errors import Code, CycloudError
from cycloud.core.quotas.selectors import quotas_of
from networking.selectors.networks import list_network_interfaces
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    create_network_interface,
    delete_network_interface,
)

__all__ = ["create", "delete", "listing"]


@require_GET
@project_view
def listing(request: HttpRequest, page: ProjectPage) -> HttpResponse:
    rows = list_network_interfaces(actor=page.actor, project_id=page.project_id)
    context = {
        "listing": Paginator(rows, 50).get_page(request.GET.get("page")),
        "quotas": quotas_of(page.project, ("addresses",)),
    }
    name = "fragments/interface_table" if is_fragment_request(request) else "interfaces"
    return render_page(request, f"console/{name}.html", context, page=page)


@require_http_methods(["GET", "POST"])
@project_view
def create(request: HttpRequest, page: ProjectPage) -> HttpResponse:
    data = request.POST if request.method == "POST" else None
    form = InterfaceForm(data, page=page)
    if data is not None and form.is_valid():
        values = form.cleaned_data
        try:
            written = create_network_interface(
                actor=page.actor,
                project_id=page.project_id,
                data=NetworkInterfaceInput(values["subnet"], values["ip_address"].strip() or None),
                network_interface_id=values["network_interface_id"].strip() or None,
            )
        except CycloudError as error:
            if error.code is Code.PERMISSION_DENIED:
                raise
            show_error(form, error)
        else:
            assert written.resource is not None  # no request id: it was made just now
            made = written.resource
            messages.success(request, f"{made.resource_id} has the address {made.ip_address}.")
            return redirect("console:network-interfaces", page.project_id)
    return render_page(
        request,
        "console/simple_form.html",
        {
            "form": form,
            "title": "New network interface",
            "lead": "One IP and one MAC address, kept until you delete it, whatever becomes of instances.",
            "submit": "Create network interface",
            "back": "network-interfaces",
            "back_label": "Network interfaces",
        },
        page=page,
        status=200 if data is None else 400,
    )


@require_POST
@project_view
def delete(request: HttpRequest, page: ProjectPage, network_interface_id: str) -> HttpResponse:
    tell_outcome(
        request,
        lambda: delete_network_interface(
            actor=page.actor,
            project_id=page.project_id,
            network_interface_id=network_interface_id,
        ),
        f"{network_interface_id} is deleted and its address is free again.",
    )
    return redirect("console:network-interfaces", page.project_id)
