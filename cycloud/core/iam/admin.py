"""People, projects, members, service accounts, tokens and the audit log."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from cycloud.core.admin.actions import go_to, perform, with_confirmation
from cycloud.core.admin.base import CycloudModelAdmin, ReadOnlyModelAdmin, WriteAdmin, actor_of
from cycloud.core.admin.typed import column, confirmed_action
from cycloud.core.clock import now
from cycloud.core.iam.access import audit
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import (
    ApiToken,
    AuditEntry,
    Membership,
    OidcIdentity,
    Project,
    ServiceAccount,
    User,
)
from cycloud.core.iam.selectors import member_id_of
from cycloud.core.iam.services.members import add_member, remove_member, set_role
from cycloud.core.iam.services.oidc_identities import link_identity, unlink_identity
from cycloud.core.iam.services.projects import create_project, delete_project, update_project
from cycloud.core.iam.services.service_accounts import (
    create_service_account,
    delete_service_account,
    update_service_account,
)
from cycloud.core.iam.services.tokens import TokenInput, create_token, revoke_token

if TYPE_CHECKING:
    _UserAdmin = DjangoUserAdmin[User]
else:
    _UserAdmin = DjangoUserAdmin

# rights are roles in projects, and the one switch "operator"; Django's groups decide nothing
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(_UserAdmin, CycloudModelAdmin):
    """People. An account is closed by making it inactive: its name stays in the audit log."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "full_name", "email", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("username", "first_name", "last_name", "email")
    ordering = ("username",)
    filter_horizontal = ()
    readonly_fields = ("uid", "last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Rights", {"fields": ("is_active", "is_staff")}),
        ("Known", {"fields": ("uid", "last_login", "date_joined")}),
    )
    add_fieldsets = (
        (
            None,
            {"classes": ("wide",), "fields": ("username", "password1", "password2", "is_staff")},
        ),
    )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[Any]:
        form: type[Any] = super().get_form(request, obj, change=change, **kwargs)
        if "is_staff" in form.base_fields:
            form.base_fields["is_staff"].label = "Platform operator"
            form.base_fields[
                "is_staff"
            ].help_text = "May use these pages, and do everything in every project."
        return form

    @column("Name")
    def full_name(self, obj: User) -> str:
        return obj.get_full_name()

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        # whoever may use the admin is a platform operator, who may do everything in it
        obj.is_superuser = obj.is_staff
        super().save_model(request, obj, form, change)
        fields = [name for name in form.changed_data if not name.startswith("password")]
        method = "UpdateUser" if change else "CreateUser"
        audit(actor_of(request), method, f"users/{obj.get_username()}", fields=sorted(fields))


@admin.register(Project)
class ProjectAdmin(WriteAdmin):
    list_display = ("resource_id", "display_name", "create_time")
    search_fields = ("resource_id", "display_name", "uid")
    ordering = ("resource_id",)
    fields = ("resource_id", "display_name")
    create_only = ("resource_id",)
    error_fields = {"project_id": "resource_id"}

    def save_through(self, actor: Actor, obj: Any, *, change: bool) -> Project:
        call = update_project if change else create_project
        return call(actor=actor, project_id=obj.resource_id, display_name=obj.display_name)

    def delete_through(self, actor: Actor, obj: Any) -> None:
        delete_project(actor=actor, project_id=obj.resource_id)


@admin.register(Membership)
class MembershipAdmin(WriteAdmin):
    list_display = ("member", "project", "role")
    list_filter = ("role", "project")
    list_select_related = ("project", "user", "service_account__project")
    search_fields = ("user__username", "service_account__resource_id", "project__resource_id")
    ordering = ("project__resource_id", "pk")
    fields = ("project", "user", "service_account", "role")
    create_only = ("project", "user", "service_account")
    error_fields = {"member_id": "user"}
    autocomplete_fields = ("project", "user", "service_account")

    @column("Member")
    def member(self, obj: Membership) -> str:
        return str(obj.user or obj.service_account)

    def save_through(self, actor: Actor, obj: Any, *, change: bool) -> Membership:
        call = set_role if change else add_member
        return call(
            actor=actor,
            project_id=obj.project.resource_id,
            member_id=member_id_of(obj),
            role=obj.role,
        )

    def delete_through(self, actor: Actor, obj: Any) -> None:
        remove_member(actor=actor, project_id=obj.project.resource_id, member_id=member_id_of(obj))


@admin.register(ServiceAccount)
class ServiceAccountAdmin(WriteAdmin):
    list_display = ("resource_id", "project", "display_name", "disabled", "create_time")
    list_filter = ("disabled", "project")
    list_select_related = ("project",)
    search_fields = ("resource_id", "display_name", "project__resource_id")
    ordering = ("project__resource_id", "resource_id")
    fields = ("project", "resource_id", "display_name", "disabled")
    create_only = ("project", "resource_id")
    error_fields = {"service_account_id": "resource_id"}
    autocomplete_fields = ("project",)

    def save_through(self, actor: Actor, obj: Any, *, change: bool) -> ServiceAccount:
        if not change:
            return create_service_account(
                actor=actor,
                project_id=obj.project.resource_id,
                service_account_id=obj.resource_id,
                display_name=obj.display_name,
            )
        return update_service_account(
            actor=actor,
            project_id=obj.project.resource_id,
            service_account_id=obj.resource_id,
            changes={"display_name": obj.display_name, "disabled": obj.disabled},
        )

    def delete_through(self, actor: Actor, obj: Any) -> None:
        delete_service_account(
            actor=actor, project_id=obj.project.resource_id, service_account_id=obj.resource_id
        )


class TokenForm(forms.ModelForm):  # type: ignore[type-arg]
    """A new token; whose, where, how long."""

    days = forms.IntegerField(
        label="Days until it ends",
        initial=30,
        min_value=1,
        max_value=366,
        widget=UnfoldAdminIntegerFieldWidget,
    )

    class Meta:
        model = ApiToken
        fields = ("display_name", "user", "service_account", "project", "role")
        labels = {"project": "Only in this project", "role": "With at most this role"}

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if bool(values.get("user")) == bool(values.get("service_account")):
            self.add_error("user", "Choose a user or a service account, not both.")
        return values

    def _post_clean(self) -> None:
        """The service makes the row; there is none to check yet."""


@admin.register(ApiToken)
class ApiTokenAdmin(WriteAdmin):
    """Tokens are made and revoked, never changed. A secret is shown once."""

    form = TokenForm
    list_display = ("prefix", "display_name", "owner", "project", "role", "state", "last_used_time")
    list_filter = ("project", "role")
    list_select_related = ("user", "service_account__project", "project")
    search_fields = ("prefix", "display_name", "user__username", "service_account__resource_id")
    ordering = ("-create_time",)
    autocomplete_fields = ("user", "service_account", "project")
    error_fields = {"owner": "user", "life_seconds": "days"}
    actions = ("revoke",)
    actions_detail = ("revoke_this",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if obj is None:
            return ("display_name", "user", "service_account", "project", "role", "days")
        return (
            "prefix",
            "display_name",
            "owner",
            "project",
            "role",
            "create_time",
            "expire_time",
            "revoke_time",
            "last_used_time",
        )

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @column("Owner")
    def owner(self, obj: ApiToken) -> str:
        return str(obj.user or obj.service_account)

    @column("State", label={"Good": "success", "Expired": "warning", "Revoked": "danger"})
    def state(self, obj: ApiToken) -> str:
        if obj.revoke_time is not None:
            return "Revoked"
        return "Expired" if obj.expire_time <= now() else "Good"

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        values = form.cleaned_data
        user, account = values["user"], values["service_account"]
        made = create_token(
            actor=actor_of(request),
            data=TokenInput(
                owner=f"users/{user.get_username()}" if user else str(account),
                display_name=values["display_name"],
                project_id=values["project"].resource_id if values["project"] else "",
                role=values["role"],
                life=timedelta(days=values["days"]),
            ),
        )
        obj.pk, obj.prefix = made.token.pk, made.token.prefix
        request.created_token = made  # type: ignore[attr-defined]

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the secret in this one answer: it is stored nowhere, not even in the session."""
        made = request.created_token  # type: ignore[attr-defined]
        context = {
            **self.admin_site.each_context(request),
            "title": "API token",
            "token": made.token,
            "secret": made.secret,
            "back": self.list_url(),
        }
        response = TemplateResponse(request, "admin/iam/apitoken/secret.html", context)
        response.headers["Cache-Control"] = "no-store"
        return response

    @admin.action(description="Revoke")
    def revoke(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        return with_confirmation(
            self,
            request,
            queryset,
            action="revoke",
            question="Revoke these tokens? Programs that use them are refused at once.",
            call=_revoke,
            done="Revoked",
        )

    @confirmed_action(
        "Revoke",
        "block",
        question="Revoke this token?",
        explanation="Programs that use it are refused at once. It cannot be undone.",
    )
    def revoke_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        perform(self, request, ApiToken.objects.filter(pk=object_id), _revoke, "Revoked")
        return go_to(self.change_url(object_id))


def _revoke(actor: Actor, token: ApiToken) -> None:
    revoke_token(actor=actor, token_uid=str(token.uid))


@admin.register(OidcIdentity)
class OidcIdentityAdmin(WriteAdmin):
    """Whom the OpenID provider's people are. Made at the first sign-in, or by hand for an account that is there."""

    list_display = ("subject", "issuer", "user", "create_time")
    list_select_related = ("user",)
    search_fields = ("subject", "issuer", "user__username")
    ordering = ("user__username", "pk")
    fields = ("user", "issuer", "subject", "groups")
    readonly_fields = ("groups",)
    create_only = ("user", "issuer", "subject")
    autocomplete_fields = ("user",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_through(self, actor: Actor, obj: Any, *, change: bool) -> OidcIdentity:
        return link_identity(actor=actor, user=obj.user, issuer=obj.issuer, subject=obj.subject)

    def delete_through(self, actor: Actor, obj: Any) -> None:
        unlink_identity(actor=actor, identity=obj)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyModelAdmin):
    list_display = (
        "time",
        "principal",
        "method",
        "resource_name",
        "outcome",
        "reason",
        "source_address",
    )
    list_filter = ("outcome", "method", "reason")
    search_fields = ("principal", "resource_name", "request_id", "method", "project")
    ordering = ("-time", "-pk")
