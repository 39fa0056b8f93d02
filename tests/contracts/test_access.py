"""What wrong credentials lead to."""

from dataclasses import replace

from cycloud.openstack.faults import FaultKind
from cycloud.openstack.sessions import client_for
from tests.contracts.bench import Bench
from tests.contracts.faults import UNKNOWN_ID, refused


def test_a_wrong_password_is_forbidden_and_not_shown(bench: Bench) -> None:
    access = replace(
        bench.target.accesses[bench.cloud], key=f"wrong-{bench.cloud}", password="not-the-password"
    )

    fault = refused(lambda: client_for(access).get_server(UNKNOWN_ID))

    assert (fault.kind, fault.status) == (FaultKind.FORBIDDEN, 401)
    assert "not-the-password" not in str(fault)


def test_an_unknown_project_is_forbidden(bench: Bench) -> None:
    access = replace(
        bench.target.accesses[bench.cloud], key=f"astray-{bench.cloud}", project_name="nowhere"
    )

    assert refused(lambda: client_for(access).get_server(UNKNOWN_ID)).kind is FaultKind.FORBIDDEN
