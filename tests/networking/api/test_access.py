"""Who may do what, over all of networking's methods."""

import re
from statistics import median
from time import perf_counter_ns

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import Project
from networking.models import VPC, NetworkInterface, Subnet
from tests.factories.catalog import AvailabilityZoneFactory
from tests.factories.iam import ProjectFactory
from tests.factories.networking import NetworkInterfaceFactory, SubnetFactory, VpcFactory
from tests.factories.rest import RestClient, client_with, operator_client

pytestmark = pytest.mark.django_db

# who -> (status of a read, status of a write)
CALLERS = {
    "anonymous": (401, 401),
    "non-member": (404, 404),
    "viewer": (200, 403),
    "editor": (200, 200),
    "admin": (200, 200),
    "operator": (200, 200),
}
# of each of two addresses whose times are compared
SAMPLES, WARM_UP = 101, 5
WRITES = [
    ("POST", "vpcs?vpc_id=new", {}),
    ("PATCH", "vpcs/v", {"display_name": "x"}),
    ("DELETE", "vpcs/empty", None),
    ("POST", "subnets", {"vpc": "v", "availability_zone": "z", "cidr": "10.9.0.0/24"}),
    ("PATCH", "subnets/s", {"display_name": "x"}),
    ("DELETE", "subnets/empty", None),
    ("POST", "networkInterfaces", {"subnet": "s"}),
    ("PATCH", "networkInterfaces/n", {"display_name": "x"}),
    ("DELETE", "networkInterfaces/n", None),
]
READS = [
    f"{collection}{member}"
    for collection, member_id in (("vpcs", "v"), ("subnets", "s"), ("networkInterfaces", "n"))
    for member in ("", f"/{member_id}")
] + ["operations"]


@pytest.fixture
def project() -> Project:
    project: Project = ProjectFactory.create(resource_id="p")
    zone = AvailabilityZoneFactory.create(resource_id="z")
    vpc = VpcFactory.create(project=project, resource_id="v")
    VpcFactory.create(project=project, resource_id="empty")
    subnet = SubnetFactory.create(
        vpc=vpc, resource_id="s", availability_zone=zone, cidr="10.1.0.0/24"
    )
    SubnetFactory.create(vpc=vpc, resource_id="empty", availability_zone=zone, cidr="10.2.0.0/24")
    NetworkInterfaceFactory.create(subnet=subnet, resource_id="n")
    return project


def caller(name: str, project: Project) -> RestClient:
    if name == "anonymous":
        return RestClient()
    if name == "operator":
        return operator_client()
    return client_with(None if name == "non-member" else Role(name), project)


def counts() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (VPC, Subnet, NetworkInterface))


@pytest.mark.parametrize("name", CALLERS)
@pytest.mark.parametrize("path", READS)
def test_reads(project: Project, name: str, path: str) -> None:
    answer = caller(name, project)("GET", f"projects/p/{path}")
    assert answer.status == CALLERS[name][0], answer.text


@pytest.mark.parametrize("name", CALLERS)
@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_writes(
    project: Project, name: str, method: str, path: str, body: dict[str, str] | None
) -> None:
    before = counts()
    answer = caller(name, project)(method, f"projects/p/{path}", body)
    assert answer.status == CALLERS[name][1], answer.text
    if answer.status != 200:
        assert counts() == before


@pytest.mark.parametrize("name", ["viewer", "editor", "admin", "operator"])
@pytest.mark.parametrize(
    ("method", "path", "body"), [write for write in WRITES if write[0] != "PATCH"]
)
def test_validate_only_changes_nothing_and_refuses_alike(
    project: Project, name: str, method: str, path: str, body: dict[str, str] | None
) -> None:
    before = counts()
    joint = "&" if "?" in path else "?"
    answer = caller(name, project)(method, f"projects/p/{path}{joint}validate_only=true", body)
    assert answer.status == CALLERS[name][1], answer.text
    assert counts() == before
    if answer.status == 200:
        assert answer.json["done"] is True
        assert "name" not in answer.json


def without(text: str, word: str) -> str:
    """Put "?" for an id that the caller sent, where it stands in a name or in quotes."""
    return re.sub(rf"(?<=[/']){word}(?=[/.'\"])", "?", text)


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", path) for path in READS] + [(method, path) for method, path, _ in WRITES],
)
def test_a_foreign_project_and_a_missing_one_cannot_be_told_apart(
    project: Project, method: str, path: str
) -> None:
    bodies = {path: body for _, path, body in WRITES}
    call = caller("non-member", project)
    call("GET", "projects")
    seen = []
    for project_id in ("p", "q"):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            answer = call(method, f"projects/{project_id}/{path}", bodies.get(path))
        # the audit row of a refusal has times and ids of its own
        statements = [re.sub(r"'[^']*'", "'?'", query["sql"]) for query in queries]
        text = without(answer.text, project_id)
        seen.append((answer.status, text, statements))
    assert seen[0] == seen[1]
    assert seen[0][0] == 404


@pytest.mark.parametrize("path", ["vpcs/v", "subnets/s", "networkInterfaces/n", "subnets"])
@pytest.mark.parametrize("other", ["q/{path}", "p/{collection}/missing"])
def test_the_time_of_an_answer_does_not_tell_what_is_there(
    project: Project, path: str, other: str
) -> None:
    """Wall-clock, as a stranger would measure it: alternately, so that both suffer the same noise."""
    call = caller("non-member", project)
    there = f"projects/p/{path}"
    absent = "projects/" + other.format(path=path, collection=path.partition("/")[0])
    times: dict[str, list[int]] = {there: [], absent: []}
    for turn in range(SAMPLES + WARM_UP):
        # each comes first every other time
        for target in (there, absent) if turn % 2 else (absent, there):
            begin = perf_counter_ns()
            answer = call("GET", target)
            spent = perf_counter_ns() - begin
            assert answer.status == 404
            if turn >= WARM_UP:
                times[target].append(spent)
    ratio = median(times[there]) / median(times[absent])
    # medians: a pause of a busy machine hits single samples
    assert 0.67 < ratio < 1.5, {target: median(spent) for target, spent in times.items()}


def test_a_foreign_vpc_cannot_be_named_from_an_own_project(project: Project) -> None:
    own = ProjectFactory.create(resource_id="own")
    call = client_with(Role.EDITOR, own)
    body = {"availability_zone": "z", "cidr": "10.9.0.0/24"}
    answers = [
        call("POST", "projects/own/subnets", {**body, "vpc": vpc})
        for vpc in ("v", "nothing", "projects/p/vpcs/v", "projects/q/vpcs/v")
    ]
    assert all(answer.status in (400, 404) for answer in answers)
    assert without(answers[0].text, "v") == without(answers[1].text, "nothing")
    assert without(answers[2].text, "p") == without(answers[3].text, "q")


@pytest.mark.parametrize("path", ["vpcs", "subnets", "networkInterfaces", "operations"])
def test_a_list_takes_the_same_queries_for_few_and_many(project: Project, path: str) -> None:
    call = caller("editor", project)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert call("GET", f"projects/p/{path}").status == 200
        return len(queries)

    call("PATCH", "projects/p/subnets/s", {"display_name": "x"})
    call("PATCH", "projects/p/networkInterfaces/n", {"display_name": "x"})
    call("PATCH", "projects/p/vpcs/v", {"display_name": "x"})
    few = count()
    for number in range(5):
        call("POST", f"projects/p/vpcs?vpc_id=v{number}", {})
        call("POST", "projects/p/networkInterfaces", {"subnet": "s"})
        body = {"vpc": f"v{number}", "availability_zone": "z", "cidr": "10.9.0.0/24"}
        assert call("POST", "projects/p/subnets", body).status == 200
    assert count() == few
