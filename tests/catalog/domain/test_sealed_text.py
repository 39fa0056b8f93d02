import pytest
from cryptography.fernet import Fernet
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.domain.sealed_text import CannotOpen, open_text, reseal_text, seal_text

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()
# lone surrogates are no text that a form or JSON body could carry on
texts = st.text(st.characters(exclude_categories=["Cs"]))


@settings(max_examples=30)
@given(texts)
def test_what_was_sealed_opens_to_the_same_text(text: str) -> None:
    sealed = seal_text([OLD], text)
    assert open_text([OLD], sealed) == text
    assert not text or text not in sealed or len(text) < 8


def test_keys_are_rotated_in_three_steps() -> None:
    sealed = seal_text([OLD], "word")
    assert open_text([NEW, OLD], sealed) == "word"
    again = reseal_text([NEW, OLD], sealed)
    assert open_text([NEW], again) == "word"
    with pytest.raises(CannotOpen):
        open_text([OLD], again)


@pytest.mark.parametrize("sealed", ["nonsense", "gAAAAA"])
def test_a_damaged_text_does_not_open(sealed: str) -> None:
    with pytest.raises(CannotOpen):
        open_text([OLD], sealed)


def test_nothing_stays_nothing() -> None:
    assert seal_text([OLD], "") == open_text([OLD], "") == reseal_text([OLD], "") == ""
