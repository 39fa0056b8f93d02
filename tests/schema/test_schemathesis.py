"""A running portal keeps to its schema: a few cases for each operation; ``make e2e`` asks many more."""

from hypothesis import HealthCheck, settings

from tests.schema.driver import Case, ask, load_schema
from tests.schema.portal import Portal

schema = load_schema(coverage=False)


@schema.parametrize()
@settings(
    max_examples=8,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
def test_the_portal_keeps_to_its_schema(portal: Portal, case: Case) -> None:
    ask(portal, case, portal.seeded.operator)
