from django.apps import AppConfig


class QuotasConfig(AppConfig):
    name = "cycloud.core.quotas"
    label = "quotas"
    verbose_name = "Quotas"
