from django.apps import AppConfig


class EmbeddedConfig(AppConfig):
    name = "cycloud.embedded"
    label = "embedded"
