"""The button "Force removal" of what is being deleted and cannot be."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse

from cycloud.core.admin.actions import go_to
from cycloud.core.admin.base import actor_of, is_operator
from cycloud.core.admin.typed import ReasonForm, confirmed_action
from cycloud.core.aip.errors import CycloudError
from cycloud.core.iam.actor import Actor

__all__ = ["ForceRemoval"]


class ForceRemoval:
    """For an admin of rows that controllers remove; name ``force_this`` in its ``actions_detail``."""

    model: Any

    def is_held(self, row: Any) -> bool:
        """Tell whether the row is being deleted, so that there is something to give up."""
        raise NotImplementedError

    def force(self, actor: Actor, row: Any, reason: str) -> tuple[str, ...]:
        """Call the service; return what may be left in the clusters."""
        raise NotImplementedError

    def has_force_removal_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Whether the button is there: for operators, and only where something is being deleted."""
        row = self.model.objects.filter(pk=object_id).first() if is_operator(request) else None
        return row is not None and self.is_held(row)

    @confirmed_action(
        "Force removal",
        "delete_forever",
        question="Give up removing it in order?",
        explanation=(
            "Its controllers stop waiting for what they cannot reach, and its record goes. Nothing is deleted in any "
            "cluster: a server, port, network or volume that still exists there stays, nobody looks after it any "
            "more, and it may go on using its address and its storage. Do this only where the cluster, or the object "
            "in it, is gone for good."
        ),
        form_class=ReasonForm,
        permissions=("force_removal",),
        danger=True,
    )
    def force_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        row = self.model.objects.get(pk=object_id)
        page: Any = self
        try:
            left = self.force(actor_of(request), row, form.cleaned_data["reason"])
        except CycloudError as error:
            page.message_user(request, f"{row}: {error.message}", messages.ERROR)
        else:
            text = "; ".join(left) or "nothing that we know of"
            page.message_user(
                request,
                f"{row}: no longer waited for. This may be left, clean it up by hand: {text}.",
                messages.WARNING,
            )
        still_there = self.model.objects.filter(pk=object_id).exists()
        return go_to(page.change_url(object_id) if still_there else page.list_url())
