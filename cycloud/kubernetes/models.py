"""Which namespace belongs to which project."""

from django.db import models


class NamespaceBinding(models.Model):
    """The namespace in which a project's resources are.

    ``is_ours``: we made and labelled it; else an operator gave it. ``service_account``: the one as which the objects
    that people apply there are taken in; none: what they apply is refused.
    """

    project = models.OneToOneField(
        "iam.Project", models.CASCADE, related_name="kubernetes_namespace"
    )
    namespace = models.CharField(max_length=63, unique=True)
    is_ours = models.BooleanField(default=True)
    service_account = models.ForeignKey(
        "iam.ServiceAccount", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    create_time = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.namespace} of {self.project}"
