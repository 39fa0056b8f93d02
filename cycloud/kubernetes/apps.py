from django.apps import AppConfig


class KubernetesConfig(AppConfig):
    name = "cycloud.kubernetes"
    label = "kubernetes"
    verbose_name = "Kubernetes"
