"""Subnets with their VPCs: the list, and making new ones."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods

from cycloud.console.forms.errors import show_error
from cycloud.console.forms.network import SubnetForm, VpcForm
from cycloud.console.page import ProjectPage, project_view, render_page
from cycloud.core.aip.errors import Code, CycloudError
from networking.selectors.networks import list_subnets, list_vpcs
from networking.services.subnets import SubnetInput, create_subnet
from networking.services.vpcs import VpcInput, create_vpc

__all__ = ["create", "create_network", "listing"]


@require_GET
@project_view
def listing(request: HttpRequest, page: ProjectPage) -> HttpResponse:
    context = {
        "subnets": list_subnets(actor=page.actor, project_id=page.project_id),
        "vpcs": list_vpcs(actor=page.actor, project_id=page.project_id),
    }
    return render_page(request, "console/subnets.html", context, page=page)


@require_http_methods(["GET", "POST"])
@project_view
def create(request: HttpRequest, page: ProjectPage) -> HttpResponse:
    data = request.POST if request.method == "POST" else None
    form = SubnetForm(data, page=page)
    if data is not None and form.is_valid():
        values = form.cleaned_data
        try:
            create_subnet(
                actor=page.actor,
                project_id=page.project_id,
                data=SubnetInput(
                    vpc=values["vpc"],
                    availability_zone=values["availability_zone"],
                    cidr=values["cidr"].strip(),
                    gateway_ip=values["gateway_ip"].strip() or None,
                ),
                subnet_id=values["subnet_id"].strip() or None,
            )
        except CycloudError as error:
            if error.code is Code.PERMISSION_DENIED:
                raise
            show_error(form, error)
        else:
            messages.success(request, f"The subnet {values['cidr']} is ready.")
            return redirect("console:subnets", page.project_id)
    context = {
        "form": form,
        "title": "New subnet",
        "lead": "A range of IPv4 addresses of a VPC, in one zone.",
        "submit": "Create subnet",
        "back": "subnets",
        "back_label": "Subnets",
    }
    status = 200 if data is None else 400
    return render_page(request, "console/simple_form.html", context, page=page, status=status)


@require_http_methods(["GET", "POST"])
@project_view
def create_network(request: HttpRequest, page: ProjectPage) -> HttpResponse:
    data = request.POST if request.method == "POST" else None
    form = VpcForm(data)
    if data is not None and form.is_valid():
        values = form.cleaned_data
        try:
            written = create_vpc(
                actor=page.actor,
                project_id=page.project_id,
                data=VpcInput(display_name=values["display_name"]),
                vpc_id=values["vpc_id"].strip() or None,
            )
        except CycloudError as error:
            if error.code is Code.PERMISSION_DENIED:
                raise
            show_error(form, error)
        else:
            assert written.resource is not None  # no request id: it was made just now
            messages.success(request, f"The VPC {written.resource.resource_id} is ready.")
            return redirect("console:subnets", page.project_id)
    context = {
        "form": form,
        "title": "New VPC",
        "lead": "A private network: the space in which subnets must not overlap.",
        "submit": "Create VPC",
        "back": "subnets",
        "back_label": "Subnets",
    }
    status = 200 if data is None else 400
    return render_page(request, "console/simple_form.html", context, page=page, status=status)
