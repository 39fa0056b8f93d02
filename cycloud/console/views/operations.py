"""What was asked for in a project, and how it ended."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from cycloud.console.page import ProjectPage, is_fragment_request, project_view, render_page
from cycloud.core.aip.models import Operation

__all__ = ["operation_list"]


@require_GET
@project_view
def operation_list(request: HttpRequest, page: ProjectPage) -> HttpResponse:
    rows = Operation.objects.filter(project=page.project, delete_time=None).order_by(
        "-create_time", "-pk"
    )
    listing = Paginator(rows, 50).get_page(request.GET.get("page"))
    name = "fragments/operation_table" if is_fragment_request(request) else "operations"
    return render_page(request, f"console/{name}.html", {"listing": listing}, page=page)
