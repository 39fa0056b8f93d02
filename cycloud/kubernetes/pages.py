"""What the operators' pages of a kind say of where it is declared, and the buttons that hand it over."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from cycloud.core.admin.actions import go_to, perform, with_confirmation
from cycloud.core.admin.base import is_operator
from cycloud.core.admin.typed import column, confirmed_action
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.handover import adopt, can_adopt, release

__all__ = ["HandOver", "ManagerFilter"]

_ADOPT = (
    "Declared by an object in Kubernetes from then on, as it is now. Users change it only there: the API and the "
    "console refuse."
)
_RELEASE = "Declared over the API from then on, as it is now. What is changed in its object in Kubernetes is put back."


class ManagerFilter(admin.SimpleListFilter):
    """Of a list: what the API declares, or Kubernetes."""

    title = "managed by"
    parameter_name = "manager"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("api", "The API"), ("kubernetes", "Kubernetes")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        match self.value():
            case "api":
                return queryset.filter(managed_by="")
            case "kubernetes":
                return queryset.exclude(managed_by="")
        return queryset


class HandOver:
    """For an admin of rows with ``managed_by``.

    Name ``manager`` in its fields, ManagerFilter in its ``list_filter``, ``adopt`` and ``release`` in its ``actions``,
    ``adopt_this`` and ``release_this`` in its ``actions_detail``. A button that changes what is declared gets the
    permission ``declare``.
    """

    model: Any

    @column("Managed by", ordering="managed_by")
    def manager(self, obj: Any) -> str:
        return obj.managed_by or "The API"

    def has_declare_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Whether buttons that change the declaration are there: not where the services would refuse."""
        return is_operator(request) and not self._manager_of(object_id)

    def has_adopt_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Whether it can be adopted: there is a Kubernetes API, and its objects are taken in."""
        can = is_operator(request) and can_adopt(self.model.kind)
        return can and not self._manager_of(object_id)

    def has_release_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Whether it can be released; where Kubernetes manages it, also when that is no longer configured."""
        if not is_operator(request):
            return False
        return (
            can_adopt(self.model.kind) if object_id is None else bool(self._manager_of(object_id))
        )

    def _manager_of(self, object_id: Any) -> str:
        row = None if object_id is None else self.model.objects.filter(pk=object_id).first()
        return "" if row is None else str(row.managed_by)

    @admin.action(description="Adopt into Kubernetes", permissions=["adopt"])
    def adopt(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        page: Any = self
        return with_confirmation(
            page,
            request,
            queryset,
            action="adopt",
            question=f"Adopt these into Kubernetes? Each is {_ADOPT[0].lower()}{_ADOPT[1:]}",
            call=_adopt,
            done="Managed by Kubernetes now",
        )

    @admin.action(description="Release to the API", permissions=["release"])
    def release(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        page: Any = self
        return with_confirmation(
            page,
            request,
            queryset,
            action="release",
            question=f"Release these to the API? Each is {_RELEASE[0].lower()}{_RELEASE[1:]}",
            call=_release,
            done="Managed by the API now",
        )

    @confirmed_action(
        "Adopt into Kubernetes",
        "move_to_inbox",
        question="Adopt this into Kubernetes?",
        explanation=_ADOPT,
        permissions=("adopt",),
    )
    def adopt_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._hand_over(request, object_id, _adopt, "Managed by Kubernetes now")

    @confirmed_action(
        "Release to the API",
        "outbox",
        question="Release this to the API?",
        explanation=_RELEASE,
        permissions=("release",),
    )
    def release_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._hand_over(request, object_id, _release, "Managed by the API now")

    def _hand_over(
        self, request: HttpRequest, object_id: str, call: Any, done: str
    ) -> HttpResponse:
        page: Any = self
        perform(page, request, self.model.objects.filter(pk=object_id), call, done)
        return go_to(page.change_url(object_id))


def _adopt(actor: Actor, row: Any) -> None:
    adopt(actor=actor, kind=row.kind, name=row.name)


def _release(actor: Actor, row: Any) -> None:
    release(actor=actor, kind=row.kind, name=row.name)
