"""Identities of OpenID providers; audit rows get a name of their own, their project and a reason."""

import uuid
from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def fill_audit_entries(apps: Any, schema_editor: Any) -> None:
    """Give the rows that are there a uid each, and the project that their resource's name tells."""
    entries = apps.get_model("iam", "AuditEntry").objects.using(schema_editor.connection.alias)
    batch = []
    for entry in entries.filter(uid=None).only("resource_name").iterator(chunk_size=1000):
        entry.uid = uuid.uuid4()
        parts = entry.resource_name.split("/")
        entry.project = parts[1][:63] if parts[0] == "projects" and len(parts) > 1 else ""
        batch.append(entry)
        if len(batch) == 1000:
            entries.bulk_update(batch, ["uid", "project"])
            batch = []
    entries.bulk_update(batch, ["uid", "project"])


class Migration(migrations.Migration):
    dependencies = [("iam", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="OidcIdentity",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("issuer", models.CharField(max_length=255)),
                ("subject", models.CharField(max_length=255)),
                ("groups", models.JSONField(blank=True, default=list, editable=False)),
                ("create_time", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="oidc_identities",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "OIDC identity",
                "verbose_name_plural": "OIDC identities",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("issuer", "subject"), name="oidc_identity_subject"
                    )
                ],
            },
        ),
        migrations.AddField(
            "auditentry", "project", models.CharField(blank=True, max_length=63, default=""), False
        ),
        migrations.AddField(
            "auditentry", "reason", models.CharField(blank=True, max_length=64, default=""), False
        ),
        migrations.AddField("auditentry", "uid", models.UUIDField(editable=False, null=True)),
        migrations.RunPython(fill_audit_entries, migrations.RunPython.noop),
        migrations.AlterField(
            "auditentry",
            "uid",
            models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AddIndex(
            "auditentry",
            models.Index(fields=["project", "-time", "-uid"], name="audit_of_project"),
        ),
    ]
