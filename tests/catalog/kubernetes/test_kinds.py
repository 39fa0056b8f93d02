from catalog.kubernetes.definitions import DEFINITIONS
from catalog.kubernetes.kinds import KINDS
from cycloud.kubernetes.kinds import TakenIn


def test_every_kind_that_is_defined_is_shown_and_taken_in() -> None:
    assert [kind.api for kind in KINDS] == [definition.api for definition in DEFINITIONS]
    assert all(isinstance(kind, TakenIn) for kind in KINDS)
