"""Actions of the admin: confirmed, carried out by a service, with its refusals shown one by one."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import messages
from django.contrib.admin import helpers
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from cycloud.core.admin.base import CycloudModelAdmin, actor_of
from cycloud.core.aip.errors import CycloudError
from cycloud.core.iam.actor import Actor

__all__ = ["go_to", "perform", "with_confirmation"]

Call = Callable[[Actor, Any], object]


def perform(
    model_admin: CycloudModelAdmin,
    request: HttpRequest,
    objects: Iterable[Any],
    call: Call,
    done: str,
) -> None:
    """Call the service for each object; tell how many were ``done``, and each refusal by name."""
    actor = actor_of(request)
    count = 0
    for obj in objects:
        try:
            call(actor, obj)
        except CycloudError as error:
            model_admin.message_user(request, f"{obj}: {error.message}", messages.ERROR)
        else:
            count += 1
    if count:
        model_admin.message_user(request, f"{done}: {count}.", messages.SUCCESS)


def with_confirmation(
    model_admin: CycloudModelAdmin,
    request: HttpRequest,
    queryset: Any,
    *,
    action: str,
    question: str,
    call: Call,
    done: str,
) -> HttpResponse | None:
    """Ask first, showing what would be changed; then :func:`perform`. For actions on a list."""
    if request.POST.get("confirmed") == "yes":
        perform(model_admin, request, queryset, call, done)
        return None
    context = {
        **model_admin.admin_site.each_context(request),
        "title": question,
        "objects": queryset,
        "action": action,
        "action_checkbox_name": helpers.ACTION_CHECKBOX_NAME,
        "opts": model_admin.model._meta,
        "back": model_admin.list_url(),
    }
    return TemplateResponse(request, "admin/confirm_action.html", context)


def go_to(url: str) -> HttpResponse:
    """Answer a dialog of the admin, which is sent by htmx, with another page."""
    return HttpResponse(headers={"HX-Redirect": url})
