"""``GET /metrics``: for platform operators, and for the addresses that CYCLOUD_METRICS_ALLOW lists."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from cycloud.core.aip.errors import Unauthenticated
from cycloud.core.iam.authentication import actor_for_request
from cycloud.core.metrics.exposition import render

__all__ = ["metrics"]

_ADVICE = (
    "Send an operator's API token as 'Authorization: Bearer <token>', or let the scraper's address in with "
    "CYCLOUD_METRICS_ALLOW."
)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer 401 to nobody, 403 to who is no operator: the numbers tell of all projects and clusters."""
    if not _comes_from_a_scraper(request):
        try:
            actor = actor_for_request(request)
        except Unauthenticated as error:
            return _text(f"{error.message} {_ADVICE}", 401, {"WWW-Authenticate": "Bearer"})
        if not actor.is_operator:
            return _text(f"Only platform operators may read metrics. {_ADVICE}", 403)
    body, content_type = render(request.META.get("HTTP_ACCEPT", ""))
    return HttpResponse(body, content_type=content_type)


def _comes_from_a_scraper(request: HttpRequest) -> bool:
    """Whether an allowed address asks, and asks itself: what a proxy passes on has its sender's word only."""
    if "HTTP_X_FORWARDED_FOR" in request.META or "HTTP_FORWARDED" in request.META:
        return False
    try:
        address = ip_address(str(request.META.get("REMOTE_ADDR") or ""))
    except ValueError:
        return False
    return any(address in network for network in settings.CYCLOUD_METRICS_ALLOW)


def _text(text: str, status: int, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(f"{text}\n", status=status, content_type="text/plain", headers=headers)
