"""The list of projects, and where the console begins."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from cycloud.console.page import console_view, render_page
from cycloud.console.projects import visible_projects
from cycloud.core.iam.actor import Actor

__all__ = ["home", "project_list"]


@console_view
def home(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Go to the project of the last visit, or to the only one, or to the list."""
    ids = list(visible_projects(actor).values_list("resource_id", flat=True)[:100])
    last = request.session.get("project")
    if last in ids:
        return redirect("console:instances", last)
    if len(ids) == 1:
        return redirect("console:instances", ids[0])
    return redirect("console:projects")


@console_view
def project_list(request: HttpRequest, actor: Actor) -> HttpResponse:
    roles = [(project, actor.roles.get(project.resource_id)) for project in visible_projects(actor)]
    return render_page(request, "console/projects.html", {"roles": roles})
