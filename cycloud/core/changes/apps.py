from django.apps import AppConfig


class ChangesConfig(AppConfig):
    name = "cycloud.core.changes"
    label = "changes"
