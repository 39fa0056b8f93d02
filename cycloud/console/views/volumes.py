"""Volumes: the list, one of them, making, growing, deleting and bringing back."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from compute.selectors.timelines import list_timeline
from compute.selectors.volumes import get_volume, list_volumes
from compute.services.volumes import (
    VolumeUpdate,
    create_volume,
    delete_volume,
    undelete_volume,
    update_volume,
)
from cycloud.console.forms.errors import show_error
from cycloud.console.forms.volume import GrowForm, VolumeForm, volume_input
from cycloud.console.page import (
    ProjectPage,
    is_fragment_request,
    project_view,
    render_page,
    tell_outcome,
)
from cycloud.core.aip.errors import Code, CycloudError
from cycloud.core.quotas.selectors import quotas_of

__all__ = ["volume_create", "volume_detail", "volume_do", "volume_grow", "volume_list"]

_VERBS: Mapping[str, tuple[Callable[..., Any], str]] = {
    "delete": (delete_volume, "{} is deleted. It can be brought back until its purge time."),
    "undelete": (undelete_volume, "{} is back, with its data."),
}


@require_GET
@project_view
def volume_list(request: HttpRequest, page: ProjectPage) -> HttpResponse:
    show_deleted = request.GET.get("show_deleted") == "1"
    rows = list_volumes(actor=page.actor, project_id=page.project_id, show_deleted=show_deleted)
    listing = Paginator(rows, 50).get_page(request.GET.get("page"))
    name = "fragments/volume_table" if is_fragment_request(request) else "volumes"
    quotas = quotas_of(page.project, ("volumes", "storage"))
    context = {"listing": listing, "show_deleted": show_deleted, "quotas": quotas}
    return render_page(request, f"console/{name}.html", context, page=page)


@require_GET
@project_view
def volume_detail(request: HttpRequest, page: ProjectPage, volume_id: str) -> HttpResponse:
    volume = get_volume(actor=page.actor, project_id=page.project_id, volume_id=volume_id)
    context = {"volume": volume, "timeline": list_timeline(volume, limit=30)}
    name = "fragments/volume" if is_fragment_request(request) else "volume"
    return render_page(request, f"console/{name}.html", context, page=page)


@require_http_methods(["GET", "POST"])
@project_view
def volume_create(request: HttpRequest, page: ProjectPage) -> HttpResponse:
    data = request.POST if request.method == "POST" else None
    form = VolumeForm(data)
    if data is not None and form.is_valid():
        try:
            written = create_volume(
                actor=page.actor,
                project_id=page.project_id,
                data=volume_input(form),
                volume_id=form.cleaned_data["volume_id"].strip(),
            )
        except CycloudError as error:
            if error.code is Code.PERMISSION_DENIED:
                raise
            if error.code is Code.ALREADY_EXISTS:
                form.add_error("volume_id", error.message)
            else:
                show_error(form, error)
        else:
            assert written.resource is not None  # no request id: it was made just now
            messages.success(request, f"{written.resource.resource_id} is being made.")
            return redirect("console:volume", page.project_id, written.resource.resource_id)
    return render_page(
        request,
        "console/volume_create.html",
        {"form": form},
        page=page,
        status=200 if data is None else 400,
    )


@require_http_methods(["GET", "POST"])
@project_view
def volume_grow(request: HttpRequest, page: ProjectPage, volume_id: str) -> HttpResponse:
    volume = get_volume(actor=page.actor, project_id=page.project_id, volume_id=volume_id)
    data = request.POST if request.method == "POST" else None
    form = GrowForm(data, initial={"size": volume.size_gib})
    if data is not None and form.is_valid():
        size = form.cleaned_data["size"]
        try:
            update_volume(
                actor=page.actor,
                project_id=page.project_id,
                volume_id=volume_id,
                changes=VolumeUpdate(size_gib=size),
            )
        except CycloudError as error:
            if error.code is Code.PERMISSION_DENIED:
                raise
            show_error(form, error)
        else:
            messages.success(request, f"{volume_id} is growing to {size} GiB.")
            return redirect("console:volume", page.project_id, volume_id)
    return render_page(
        request,
        "console/volume_grow.html",
        {"volume": volume, "form": form},
        page=page,
        status=200 if data is None else 400,
    )


@require_POST
@project_view
def volume_do(request: HttpRequest, page: ProjectPage, volume_id: str, verb: str) -> HttpResponse:
    if verb not in _VERBS:
        raise Http404(verb)
    service, done = _VERBS[verb]
    tell_outcome(
        request,
        lambda: service(actor=page.actor, project_id=page.project_id, volume_id=volume_id),
        done.format(volume_id),
    )
    return redirect("console:volume", page.project_id, volume_id)
