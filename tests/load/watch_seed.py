"""A project with one VPC and an editor's token, for the watch benchmark: prints the token."""

import django

django.setup()

from cycloud.core.iam.actor import Role  # noqa: E402
from networking.services.vpcs import VpcInput, create_vpc  # noqa: E402
from tests.factories.iam import (  # noqa: E402
    MembershipFactory,
    ProjectFactory,
    UserFactory,
    member,
)
from tests.factories.rest import token_for  # noqa: E402


def main() -> None:
    project = ProjectFactory.create(resource_id="bench")
    user = UserFactory.create()
    MembershipFactory.create(project=project, user=user, role="editor")
    data = VpcInput(display_name="", labels={}, annotations={})
    create_vpc(actor=member(project, Role.EDITOR), project_id="bench", data=data, vpc_id="watched")
    print(token_for(user))


if __name__ == "__main__":
    main()
