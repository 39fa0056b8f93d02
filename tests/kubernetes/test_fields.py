"""What services refuse, in the words of an object."""

import pytest

from cycloud.core.aip.errors import FailedPrecondition, FieldViolation, InvalidArgument
from cycloud.kubernetes.fields import about_field, object_fields

PATHS = {
    "size_gib": "spec.size",
    "minimum_gib": "spec.minimumSize",
    "state": "spec.state",
    "keys": "spec.sshPublicKeys",
    "keys.first_one": "spec.firstKey",
}


def renamed(field: str, description: str = "is wrong.") -> InvalidArgument:
    with pytest.raises(InvalidArgument) as caught, object_fields(PATHS):
        raise InvalidArgument.field(field, description, "REASON")
    return caught.value


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ("size_gib", "spec.size"),
        ("keys[1]", "spec.sshPublicKeys[1]"),
        ("keys.other", "spec.sshPublicKeys.other"),
        ("keys.first_one", "spec.firstKey"),
        ("keyset", "keyset"),
        ("spec.images[0].providerID", "spec.images[0].providerID"),
    ],
)
def test_a_field_has_the_objects_name_also_in_the_message(field: str, path: str) -> None:
    error = renamed(field)
    assert error.violations == (FieldViolation(path, "is wrong.", "REASON"),)
    assert error.message == f"{path}: is wrong."


def test_other_fields_have_it_within_the_sentence_where_they_are_no_words() -> None:
    error = renamed("size_gib", "is below minimum_gib in this state, not a_minimum_gib.")
    assert error.violations[0].description == (
        "is below spec.minimumSize in this state, not a_minimum_gib."
    )
    assert error.message == f"spec.size: {error.violations[0].description}"


def test_an_error_of_no_field_can_be_about_one() -> None:
    with pytest.raises(FailedPrecondition) as caught, about_field("spec.state"):
        raise FailedPrecondition("No.", reason="CLUSTER_STATE")
    assert caught.value.violations == (FieldViolation("spec.state", "No.", "CLUSTER_STATE"),)


def test_only_errors_of_the_given_reasons_are_about_it() -> None:
    with pytest.raises(FailedPrecondition) as caught, about_field("spec.subnet", "SUBNET_FULL"):
        raise FailedPrecondition("No.", reason="DELETING")
    assert caught.value.violations == ()


def test_what_names_a_field_keeps_it() -> None:
    with pytest.raises(InvalidArgument) as caught, about_field("spec.subnet"):
        raise InvalidArgument.field("spec.size", "is wrong.")
    assert [violation.field for violation in caught.value.violations] == ["spec.size"]
