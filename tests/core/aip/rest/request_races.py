"""One request sent many times at once. Run by test_request_races.py, once per kind of database."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import connection

from cycloud.core.aip.models import Operation, RequestRecord
from cycloud.core.iam.actor import Role
from networking.models import VPC, NetworkInterface
from tests.factories.iam import ProjectFactory
from tests.factories.networking import SubnetFactory
from tests.factories.rest import Answer, RestClient, client_with

pytestmark = pytest.mark.django_db(transaction=True)
WRITERS = 8


def send_at_once(call: RestClient, path: str, body: dict[str, str]) -> list[Answer]:
    barrier = Barrier(WRITERS)

    def send(_: int) -> Answer:
        barrier.wait(timeout=60)
        try:
            return call("POST", path, body)
        finally:
            connection.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(send, range(WRITERS)))


@pytest.mark.parametrize("attempt", range(3))
@pytest.mark.parametrize("id_parameter", ["", "&vpc_id=main"])
def test_one_request_id_makes_one_resource(attempt: int, id_parameter: str) -> None:
    call = client_with(Role.EDITOR, ProjectFactory.create(resource_id="p"))
    path = f"projects/p/vpcs?request_id={uuid4()}{id_parameter}"
    answers = send_at_once(call, path, {})
    assert {answer.status for answer in answers} == {200}, [a.text for a in answers]
    assert len({answer.json["name"] for answer in answers}) == 1
    assert (VPC.objects.count(), Operation.objects.count(), RequestRecord.objects.count()) == (
        1,
        1,
        1,
    )


def test_one_request_id_takes_one_address() -> None:
    subnet = SubnetFactory.create(vpc__project__resource_id="p", resource_id="s")
    call = client_with(Role.EDITOR, subnet.project)
    path = f"projects/p/networkInterfaces?request_id={uuid4()}"
    answers = send_at_once(call, path, {"subnet": "s"})
    assert {answer.status for answer in answers} == {200}, [a.text for a in answers]
    assert NetworkInterface.objects.count() == 1


def test_without_a_request_id_the_second_of_one_name_is_refused() -> None:
    call = client_with(Role.EDITOR, ProjectFactory.create(resource_id="p"))
    answers = send_at_once(call, "projects/p/vpcs?vpc_id=main", {})
    assert sorted(answer.status for answer in answers) == [200] + [409] * (WRITERS - 1)
    assert VPC.objects.count() == 1
