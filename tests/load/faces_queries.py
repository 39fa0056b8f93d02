"""How many queries a list of 50 instances makes; prints the number. Arguments: a project and a token."""

import sys

import django

django.setup()

from django.db import connection  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from tests.factories.rest import RestClient  # noqa: E402


def main() -> None:
    client = RestClient(sys.argv[2])
    path = f"projects/{sys.argv[1]}/instances?page_size=50"
    client("GET", path)
    with CaptureQueriesContext(connection) as queries:
        answer = client("GET", path)
    assert len(answer.json["instances"]) == 50, answer.text
    print(len(queries))


if __name__ == "__main__":
    main()
