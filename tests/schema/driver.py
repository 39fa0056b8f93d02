"""What schemathesis asks of a running portal: which cases, about which resources, and which of its checks hold.

Off are:

- positive_data_acceptance: whether a request that fits the schema is carried out depends on what there is (a volume
  type of that name, free addresses), and FAILED_PRECONDITION is 400 as an invalid request is.
- the Watch methods, which stream without an end, and WaitOperation, which waits up to a minute: a case of schemathesis
  waits for the end of the answer. Both have tests of their own.
"""

from typing import Any, TypeAlias

import schemathesis
from schemathesis.checks import CheckFunction
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import positive_data_acceptance, status_code_conformance

from cycloud.core.aip.openapi.generator import ApiSchemaGenerator
from tests.schema.portal import Portal

Case: TypeAlias = schemathesis.Case[Any]
OFF: list[CheckFunction] = [positive_data_acceptance]
# ids that stay as schemathesis made them, of so many
STRANGE = 4


def load_schema(*, coverage: bool) -> Any:
    """Return the schema as this code makes it; a test holds that the portal serves the same.

    ``coverage``: whether to try each limit of each field and parameter too, which is many hundreds of cases.
    """
    schema = schemathesis.openapi.from_dict(ApiSchemaGenerator().get_schema(public=True))
    schema.config.phases.update(phases=["examples", "fuzzing", *(["coverage"] if coverage else [])])
    return schema.exclude(operation_id_regex="^Wa(tch|it)")


def ask(portal: Portal, case: Case, secret: str) -> None:
    """Send one case as the owner of ``secret``. Fails for a server error and for what the schema does not say."""
    aim(portal, case)
    off = list(OFF)
    headers = {"Authorization": f"Bearer {secret}"}
    if is_wrong_in(case, ParameterLocation.PATH):
        # it is another method's path then, or none's
        off.append(status_code_conformance)
    if is_wrong_in(case, ParameterLocation.HEADER) and "Authorization" not in (case.headers or {}):
        # what is wrong is that there is none
        headers = {}
    case.call_and_validate(base_url=portal.url, headers=headers, excluded_checks=off)


def is_wrong_in(case: Case, location: ParameterLocation) -> bool:
    return case.meta is not None and case.meta.is_negative_at(location)


def aim(portal: Portal, case: Case) -> None:
    """Let most cases be about what exists: made up ids only ever give 404."""
    if is_wrong_in(case, ParameterLocation.PATH):
        return
    for name, value in (case.path_parameters or {}).items():
        number = sum(str(value).encode())
        ids = portal.seeded.ids[name]
        if number % STRANGE:
            case.path_parameters[name] = ids[number % len(ids)]
