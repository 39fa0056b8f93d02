"""Print docs/errors.md."""

from typing import Any

from django.core.management.base import BaseCommand

from cycloud.core.aip.reasons.page import errors_page


class Command(BaseCommand):
    help = "Print the page of all error reasons (docs/errors.md)."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(errors_page(), ending="")
