from django.apps import AppConfig


class AipConfig(AppConfig):
    name = "cycloud.core.aip"
    label = "aip"
    verbose_name = "Operations"
