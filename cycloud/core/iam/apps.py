from django.apps import AppConfig


class IamConfig(AppConfig):
    name = "cycloud.core.iam"
    label = "iam"
    verbose_name = "Identity and access"
