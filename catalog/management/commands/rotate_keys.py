"""``manage.py rotate_keys``: encrypt stored credentials with the first of CYCLOUD_FIELD_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.services.credentials import rotate_keys
from cycloud.core.aip.errors import CycloudError
from cycloud.core.iam.actor import system_actor


class Command(BaseCommand):
    help = (
        "Encrypt all stored cluster passwords with the first key of CYCLOUD_FIELD_KEYS. Put the new key first "
        "and keep the old ones behind it; after this command the old ones can go."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            count = rotate_keys(actor=system_actor("rotate_keys"))
        except CycloudError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{count} passwords are encrypted with the first key now.")
