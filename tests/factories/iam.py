"""Projects, people and actors."""

import factory
from factory.django import DjangoModelFactory

from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import Membership, Project, ServiceAccount, User

OPERATOR = Actor(principal="users/operator", is_operator=True)


def member(project: Project, role: Role = Role.EDITOR, name: str = "alice") -> Actor:
    """Return an actor with one role in one project, without rows for it."""
    return Actor(principal=f"users/{name}", roles={project.resource_id: role})


class UserFactory(DjangoModelFactory[User]):
    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"user{n}")
    password = factory.django.Password("a long test password")


class OperatorFactory(UserFactory):
    username = factory.Sequence(lambda n: f"operator{n}")
    is_staff = True
    is_superuser = True


class ProjectFactory(DjangoModelFactory[Project]):
    class Meta:
        model = Project

    resource_id = factory.Sequence(lambda n: f"project-{n}")


class ServiceAccountFactory(DjangoModelFactory[ServiceAccount]):
    class Meta:
        model = ServiceAccount

    project = factory.SubFactory(ProjectFactory)
    resource_id = factory.Sequence(lambda n: f"robot-{n}")


class MembershipFactory(DjangoModelFactory[Membership]):
    class Meta:
        model = Membership

    project = factory.SubFactory(ProjectFactory)
    user = factory.SubFactory(UserFactory)
    role = Role.EDITOR.value
