"""What cloud-init gets."""

from email import message_from_string

import pytest

from compute.domain.guest_data import guest_user_data

KEY = "ssh-ed25519 AAAA dev@example"


def test_nothing_stays_nothing() -> None:
    assert guest_user_data("", []) == ""


def test_user_data_alone_is_left_as_it_is() -> None:
    assert guest_user_data("#!/bin/sh\ntrue\n", []) == "#!/bin/sh\ntrue\n"


def test_keys_alone_are_cloud_config() -> None:
    text = guest_user_data("", [KEY])
    assert text.startswith("#cloud-config\n")
    assert KEY in text


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ("#!/bin/sh\ntrue\n", "text/x-shellscript"),
        ("#cloud-config\n{}\n", "text/cloud-config"),
        ("hm", "text/plain"),
    ],
)
def test_both_become_an_archive_that_is_the_same_each_time(data: str, kind: str) -> None:
    text = guest_user_data(data, [KEY])
    assert text == guest_user_data(data, [KEY])
    parts = list(message_from_string(text).walk())[1:]
    assert [p.get_content_type() for p in parts] == ["text/cloud-config", kind]
    assert parts[1].get_payload(decode=True) == data.encode()


def test_an_archive_of_the_users_own_is_left_as_it_is() -> None:
    own = "Content-Type: multipart/mixed; boundary=x\n\n--x--\n"
    assert guest_user_data(own, [KEY]) == own
