from django.apps import AppConfig


class ReconcileConfig(AppConfig):
    name = "cycloud.core.reconcile"
    label = "reconcile"
    verbose_name = "Reconcile queue"
