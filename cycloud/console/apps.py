from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "cycloud.console"
    label = "console"
