"""Changes of one instance: power, type, volumes, protection, deletion."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from compute.selectors.instances import get_instance
from compute.services.instance_attachments import attach_volume, detach_volume
from compute.services.instance_power import restart_instance, start_instance, stop_instance
from compute.services.instances import InstanceUpdate, delete_instance, update_instance
from cycloud.console.forms.errors import show_error
from cycloud.console.forms.instance_type import InstanceTypeForm
from cycloud.console.forms.volume import AttachForm
from cycloud.console.page import ProjectPage, project_view, render_page, tell_outcome
from cycloud.core.aip.errors import Code, CycloudError
from cycloud.core.aip.writes import WriteOptions

__all__ = ["attach", "change_type", "check", "detach", "do", "protect"]

# what each button does, and what the next page says
_VERBS: Mapping[str, tuple[Callable[..., Any], str]] = {
    "start": (start_instance, "{} is starting."),
    "stop": (stop_instance, "{} is stopping."),
    "restart": (restart_instance, "{} is restarting."),
    "delete": (delete_instance, "{} is being deleted. Its volumes and network interfaces stay."),
}
_DRY_RUN = WriteOptions(validate_only=True)


@require_POST
@project_view
def do(request: HttpRequest, page: ProjectPage, instance_id: str, verb: str) -> HttpResponse:
    """Carry out a verb."""
    service, done = _verb(verb)
    tell_outcome(
        request,
        lambda: service(actor=page.actor, project_id=page.project_id, instance_id=instance_id),
        done.format(instance_id),
    )
    return redirect("console:instance", page.project_id, instance_id)


@require_GET
@project_view
def check(request: HttpRequest, page: ProjectPage, instance_id: str, verb: str) -> HttpResponse:
    """Tell whether a verb would be refused now: the preflight, shown before its confirmation."""
    service, _ = _verb(verb)
    refusal = _refusal(
        lambda: service(
            actor=page.actor,
            project_id=page.project_id,
            instance_id=instance_id,
            options=_DRY_RUN,
        )
    )
    context = {"refusal": refusal, "checked": True}
    return render_page(request, "console/fragments/preflight.html", context, page=page)


@require_http_methods(["GET", "POST"])
@project_view
def change_type(request: HttpRequest, page: ProjectPage, instance_id: str) -> HttpResponse:
    """Choose another type. With ``check`` in the form: only tell whether it could be taken."""
    instance = get_instance(actor=page.actor, project_id=page.project_id, instance_id=instance_id)
    data = request.POST if request.method == "POST" else None
    form = InstanceTypeForm(
        data,
        initial={"instance_type": instance.instance_type.resource_id},
        zone=instance.availability_zone.resource_id,
        present=instance.instance_type.resource_id,
    )
    is_check = data is not None and "check" in data
    if data is not None and form.is_valid():
        chosen = form.cleaned_data["instance_type"]
        try:
            update_instance(
                actor=page.actor,
                project_id=page.project_id,
                instance_id=instance_id,
                changes=InstanceUpdate(instance_type=chosen),
                options=_DRY_RUN if is_check else WriteOptions(),
            )
        except CycloudError as error:
            if error.code in (Code.NOT_FOUND, Code.PERMISSION_DENIED):
                raise
            if is_check:
                return _preflight(request, page, error)
            show_error(form, error)
        else:
            if is_check:
                return _preflight(request, page, None)
            messages.success(
                request,
                f"{instance_id} is now declared as {chosen}. It takes it at its next start.",
            )
            return redirect("console:instance", page.project_id, instance_id)
    return render_page(
        request,
        "console/instance_change_type.html",
        {"instance": instance, "form": form},
        page=page,
        status=200 if data is None else 400,
    )


@require_http_methods(["GET", "POST"])
@project_view
def attach(request: HttpRequest, page: ProjectPage, instance_id: str) -> HttpResponse:
    """Give a stopped instance one more volume."""
    instance = get_instance(actor=page.actor, project_id=page.project_id, instance_id=instance_id)
    data = request.POST if request.method == "POST" else None
    form = AttachForm(data, page=page, zone=instance.availability_zone.resource_id)
    if data is not None and form.is_valid():
        volume_id = form.cleaned_data["volume"]
        try:
            attach_volume(
                actor=page.actor,
                project_id=page.project_id,
                instance_id=instance_id,
                volume_id=volume_id,
            )
        except CycloudError as error:
            if error.code is Code.PERMISSION_DENIED:
                raise
            show_error(form, error)
        else:
            messages.success(request, f"{volume_id} is being attached to {instance_id}.")
            return redirect("console:instance", page.project_id, instance_id)
    return render_page(
        request,
        "console/instance_attach_volume.html",
        {"instance": instance, "form": form},
        page=page,
        status=200 if data is None else 400,
    )


@require_POST
@project_view
def detach(request: HttpRequest, page: ProjectPage, instance_id: str) -> HttpResponse:
    """Take a volume from a stopped instance."""
    volume_id = request.POST.get("volume", "")
    tell_outcome(
        request,
        lambda: detach_volume(
            actor=page.actor,
            project_id=page.project_id,
            instance_id=instance_id,
            volume_id=volume_id,
        ),
        f"{volume_id} is being detached. Its data stays.",
    )
    return redirect("console:instance", page.project_id, instance_id)


@require_POST
@project_view
def protect(request: HttpRequest, page: ProjectPage, instance_id: str) -> HttpResponse:
    """Turn deletion protection on or off."""
    wanted = request.POST.get("protection") == "on"
    tell_outcome(
        request,
        lambda: update_instance(
            actor=page.actor,
            project_id=page.project_id,
            instance_id=instance_id,
            changes=InstanceUpdate(deletion_protection=wanted),
        ),
        f"{instance_id} is {'now' if wanted else 'no longer'} protected from deletion.",
    )
    return redirect("console:instance", page.project_id, instance_id)


def _verb(verb: str) -> tuple[Callable[..., Any], str]:
    if verb not in _VERBS:
        raise Http404(verb)
    return _VERBS[verb]


def _refusal(call: Callable[[], object]) -> CycloudError | None:
    try:
        call()
    except CycloudError as error:
        if error.code in (Code.NOT_FOUND, Code.PERMISSION_DENIED):
            raise
        return error
    return None


def _preflight(
    request: HttpRequest, page: ProjectPage, refusal: CycloudError | None
) -> HttpResponse:
    return render_page(request, "console/fragments/preflight.html", {"refusal": refusal}, page=page)
