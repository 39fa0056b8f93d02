from cycloud.openstack.notifications import Hint, HintKind


def test_hints_about_one_object_are_one_hint() -> None:
    hints = {Hint(HintKind.SERVER, "u1"), Hint(HintKind.SERVER, "u1"), Hint(HintKind.VOLUME, "u1")}

    assert len(hints) == 2
