"""Instances: the list, one of them, and making a new one."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods

from compute.selectors.instances import get_instance, list_instances
from compute.selectors.timelines import list_timeline
from compute.services.instances import create_instance
from cycloud.console.forms.errors import show_error
from cycloud.console.forms.instance import InstanceForm, field_of, instance_input, row_forms
from cycloud.console.page import ProjectPage, is_fragment_request, project_view, render_page
from cycloud.core.aip.errors import Code, CycloudError
from cycloud.core.quotas.selectors import quotas_of

__all__ = ["instance_create", "instance_detail", "instance_list"]


@require_GET
@project_view
def instance_list(request: HttpRequest, page: ProjectPage) -> HttpResponse:
    rows = list_instances(actor=page.actor, project_id=page.project_id)
    listing = Paginator(rows, 50).get_page(request.GET.get("page"))
    name = "fragments/instance_table" if is_fragment_request(request) else "instances"
    quotas = quotas_of(page.project, ("instances", "vcpus", "memory"))
    context = {"listing": listing, "quotas": quotas}
    return render_page(request, f"console/{name}.html", context, page=page)


@require_GET
@project_view
def instance_detail(request: HttpRequest, page: ProjectPage, instance_id: str) -> HttpResponse:
    instance = get_instance(actor=page.actor, project_id=page.project_id, instance_id=instance_id)
    context = {"instance": instance, "timeline": list_timeline(instance, limit=30)}
    name = "fragments/instance" if is_fragment_request(request) else "instance"
    return render_page(request, f"console/{name}.html", context, page=page)


@require_http_methods(["GET", "POST"])
@project_view
def instance_create(request: HttpRequest, page: ProjectPage) -> HttpResponse:
    data = request.POST if request.method == "POST" else None
    form = InstanceForm(data, page=page)
    volumes, interfaces = row_forms(page, data)
    if data is not None and all([form.is_valid(), volumes.is_valid(), interfaces.is_valid()]):
        try:
            written = create_instance(
                actor=page.actor,
                project_id=page.project_id,
                data=instance_input(form, volumes, interfaces),
                instance_id=form.cleaned_data["instance_id"].strip(),
            )
        except CycloudError as error:
            if error.code is Code.PERMISSION_DENIED:
                raise
            if error.code is Code.ALREADY_EXISTS:
                form.add_error("instance_id", error.message)
            else:
                show_error(form, error, lambda path: field_of(path, form, volumes, interfaces))
        else:
            assert written.resource is not None  # no request id: it was made just now
            messages.success(request, f"{written.resource.resource_id} is being made.")
            return redirect("console:instance", page.project_id, written.resource.resource_id)
    context = {"form": form, "volumes": volumes, "interfaces": interfaces}
    status = 200 if data is None else 400
    return render_page(request, "console/instance_create.html", context, page=page, status=status)
