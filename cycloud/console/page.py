"""What every console page needs: who looks, at which project, and how errors become pages."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from cycloud.console.projects import visible_projects
from cycloud.core.aip.errors import Code, CycloudError
from cycloud.core.changes.feed import position
from cycloud.core.iam.access import has_permission, project_for
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.authentication import actor_for_user, request_id_of
from cycloud.core.iam.models import Project
from cycloud.core.iam.refusals import audit_page_refusal

__all__ = [
    "ProjectPage",
    "console_view",
    "is_fragment_request",
    "project_view",
    "render_page",
    "tell_outcome",
]

# every file comes from the portal itself, and no page of it may be framed
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

# from the beginning of a URL's name to the entry of the side navigation
_SECTIONS = {
    "instance": "instances",
    "volume": "volumes",
    "network-interface": "interfaces",
    "subnet": "subnets",
    "vpc": "subnets",
    "operation": "operations",
}


@dataclass(frozen=True)
class ProjectPage:
    """The project that a page is about, and what the one who looks may do in it.

    ``role`` is None for an operator who is no member. ``can_edit`` only decides which buttons are shown:
    the services check again. ``version`` is that of the change feed before anything of the page was read.
    """

    actor: Actor
    project: Project
    role: Role | None
    version: int = 0

    @property
    def project_id(self) -> str:
        return self.project.resource_id

    @property
    def can_edit(self) -> bool:
        return has_permission(self.actor, "compute.instances.update", self.project_id)


def is_fragment_request(request: HttpRequest) -> bool:
    """Tell whether htmx asks for the changing part of a page only."""
    return request.headers.get("HX-Request") == "true"


def console_view(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make a page of ``view(request, actor, ...)``, for who is signed in.

    What a service refuses is shown as an error page.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, **kwargs: str) -> HttpResponse:
        if not request.user.is_authenticated:
            return _to_sign_in(request)
        try:
            return view(request, _actor(request), **kwargs)
        except CycloudError as error:
            if request.method == "POST":
                match = request.resolver_match
                page = f"console:{match.url_name if match else ''}"
                audit_page_refusal(_actor(request), page, request.path.strip("/"), error)
            return _error_page(request, error)

    return wrapped


def project_view(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make a page of ``view(request, page, ...)`` inside a project.

    It is for the project's members; for others it does not exist (404).
    """

    @wraps(view)
    def inner(request: HttpRequest, actor: Actor, project_id: str, **kwargs: str) -> HttpResponse:
        project = project_for(actor, project_id, "iam.projects.get")
        page = ProjectPage(actor, project, actor.roles.get(project_id), position())
        if request.session.get("project") != project_id:
            request.session["project"] = project_id
        return view(request, page, **kwargs)

    return console_view(inner)


def render_page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    page: ProjectPage | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render a page, or a fragment of one (a template under ``fragments/``)."""
    frame: dict[str, Any] = {"page": page, "section": _section(request)}
    if "/fragments/" not in template and request.user.is_authenticated:
        actor = page.actor if page else _actor(request)
        frame |= {"actor": actor, "projects": visible_projects(actor)}
    response = render(request, template, {**frame, **context}, status=status)
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["Cache-Control"] = "no-store"
    return response


def tell_outcome(request: HttpRequest, call: Callable[[], object], done: str) -> bool:
    """Run ``call``; tell on the next page that it is ``done``, or why it was refused. Return which.

    What the one who asks may not even see is left to the error page.
    """
    try:
        call()
    except CycloudError as error:
        if error.code in (Code.NOT_FOUND, Code.PERMISSION_DENIED, Code.UNAUTHENTICATED):
            raise
        messages.error(request, error.message)
        return False
    messages.success(request, done)
    return True


def _actor(request: HttpRequest) -> Actor:
    """Return the session's actor. Tokens do not open pages: only a session is protected by CSRF checks."""
    return actor_for_user(
        request.user,
        source_address=str(request.META.get("REMOTE_ADDR") or "")[:64],
        request_id=request_id_of(request),
    )


def _section(request: HttpRequest) -> str:
    """Return which entry of the side navigation a page belongs to."""
    match = request.resolver_match
    url_name = (match.url_name if match else None) or ""
    return next((name for start, name in _SECTIONS.items() if url_name.startswith(start)), "")


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    if is_fragment_request(request):
        # a fragment must not be replaced by the sign-in page: the whole window goes there
        return HttpResponse(status=401, headers={"HX-Redirect": reverse("console:sign-in")})
    return redirect_to_login(request.get_full_path())


def _error_page(request: HttpRequest, error: CycloudError) -> HttpResponse:
    return render_page(request, "console/error.html", {"error": error}, status=error.code.http)
