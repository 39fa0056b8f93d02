"""Principals, projects, roles, tokens and the audit log."""

import uuid

from django.contrib.auth.models import AbstractUser
from django.db import models

from cycloud.core.iam.actor import Role


class User(AbstractUser):
    """A person. ``is_staff`` marks a platform operator (may use the admin)."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)

    class Meta(AbstractUser.Meta):
        pass


class Project(models.Model):
    """The unit of ownership: every resource is in one, and is invisible outside it."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    resource_id = models.SlugField(max_length=63, unique=True)
    display_name = models.CharField(max_length=255, blank=True)
    create_time = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.resource_id

    @property
    def name(self) -> str:
        return f"projects/{self.resource_id}"


class ServiceAccount(models.Model):
    """A program's identity, in one project."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="service_accounts")
    resource_id = models.SlugField(max_length=63)
    display_name = models.CharField(max_length=255, blank=True)
    disabled = models.BooleanField(default=False)
    create_time = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "resource_id"], name="service_account_id")
        ]

    def __str__(self) -> str:
        return f"serviceAccounts/{self.project.resource_id}/{self.resource_id}"


class Membership(models.Model):
    """The role of one user or one service account in one project."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        User, models.CASCADE, null=True, blank=True, related_name="memberships"
    )
    service_account = models.ForeignKey(
        ServiceAccount, models.CASCADE, null=True, blank=True, related_name="memberships"
    )
    role = models.CharField(max_length=16, choices=[(role.value, role.value) for role in Role])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="membership_user"),
            models.UniqueConstraint(
                fields=["project", "service_account"], name="membership_service_account"
            ),
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) ^ models.Q(service_account__isnull=True),
                name="membership_one_principal",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user or self.service_account} {self.role} in {self.project}"


class ApiToken(models.Model):
    """A bearer token. Only its SHA-256 is stored; ``prefix`` lets people tell tokens apart.

    ``role`` (if set) narrows what the principal may do; ``project`` (if set) narrows where.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    display_name = models.CharField(max_length=255, blank=True)
    user = models.ForeignKey(User, models.CASCADE, null=True, blank=True, related_name="tokens")
    service_account = models.ForeignKey(
        ServiceAccount, models.CASCADE, null=True, blank=True, related_name="tokens"
    )
    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True, related_name="+")
    role = models.CharField(
        max_length=16, blank=True, choices=[(role.value, role.value) for role in Role]
    )
    prefix = models.CharField(max_length=16, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    create_time = models.DateTimeField(auto_now_add=True)
    expire_time = models.DateTimeField()
    revoke_time = models.DateTimeField(null=True, blank=True)
    last_used_time = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) ^ models.Q(service_account__isnull=True),
                name="token_one_principal",
            )
        ]

    def __str__(self) -> str:
        return f"{self.prefix}… {self.display_name}"


class OidcIdentity(models.Model):
    """A person as an OpenID provider knows them: ``subject`` is unique and never reused within ``issuer``.

    ``groups``: those of the provider's groups that CYCLOUD_OIDC_GROUPS names, as last told.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="oidc_identities")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    groups = models.JSONField(default=list, blank=True, editable=False)
    create_time = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "OIDC identity"
        verbose_name_plural = "OIDC identities"
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="oidc_identity_subject")
        ]

    def __str__(self) -> str:
        return f"{self.subject} of {self.issuer}"


class AuditEntry(models.Model):
    """Who did what, when, and with what outcome. Never changed.

    ``outcome`` is OK or the canonical code of the refusal, ``reason`` then its stable reason. ``project`` is
    the id of the project that the resource is in, empty outside projects: no key, since a row outlives it.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    time = models.DateTimeField(db_index=True)
    principal = models.CharField(max_length=255, db_index=True)
    method = models.CharField(max_length=64)
    resource_name = models.CharField(max_length=255, db_index=True)
    project = models.CharField(max_length=63, blank=True)
    outcome = models.CharField(max_length=32, default="OK")
    reason = models.CharField(max_length=64, blank=True)
    detail = models.JSONField(default=dict, blank=True)
    source_address = models.CharField(max_length=64, blank=True)
    request_id = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["project", "-time", "-uid"], name="audit_of_project")]

    def __str__(self) -> str:
        return f"{self.principal} {self.method} {self.resource_name}"
