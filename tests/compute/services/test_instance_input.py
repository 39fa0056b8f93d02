"""SSH keys and user data."""

import base64

import pytest

from compute.services.instance_input import check_ssh_public_keys, check_user_data
from cycloud.core.aip.errors import InvalidArgument


def key(kind: str, *, inside: str | None = None, extra: bytes = b"\0\0\0\x04abcd") -> str:
    name = (inside or kind).encode()
    blob = len(name).to_bytes(4, "big") + name + extra
    return f"{kind} {base64.b64encode(blob).decode()}"


@pytest.mark.parametrize(
    "kind",
    [
        "ssh-ed25519",
        "ssh-rsa",
        "ecdsa-sha2-nistp256",
        "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521",
        "sk-ssh-ed25519@openssh.com",
        "sk-ecdsa-sha2-nistp256@openssh.com",
    ],
)
def test_keys_of_every_kind_are_taken_with_and_without_a_comment(kind: str) -> None:
    plain = key(kind)
    assert check_ssh_public_keys([f"{plain}\n", f"{plain} alice at home"]) == [
        plain,
        f"{plain} alice at home",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ssh-ed25519",
        "ssh-ed25519 ",
        "ssh-ed25519 not-base64!",
        "ssh-ed25519 QUJD",
        key("ssh-dss"),
        key("ssh-ed25519", inside="ssh-rsa"),
        key("ssh-ed25519", extra=b""),
        key("ssh-ed25519") + "\n" + key("ssh-ed25519"),
        key("ssh-ed25519") + " comment\0",
        key("ssh-rsa", extra=b"x" * 9000),
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        'command="rm" ' + key("ssh-ed25519"),
    ],
)
def test_what_is_no_key_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        check_ssh_public_keys([key("ssh-rsa"), text])
    assert caught.value.violations[0].field == "ssh_public_keys[1]"
    assert not text.strip() or text.strip() not in caught.value.message.split(" (")[0]


def test_there_is_a_bound_on_the_number_of_keys() -> None:
    assert len(check_ssh_public_keys([key("ssh-rsa")] * 32)) == 32
    with pytest.raises(InvalidArgument):
        check_ssh_public_keys([key("ssh-rsa")] * 33)


@pytest.mark.parametrize("text", ["", "#cloud-config\n", "x" * 65536, "é" * 32768])
def test_user_data_up_to_64_kib_is_taken(text: str) -> None:
    assert check_user_data(text) == text


@pytest.mark.parametrize("text", ["x" * 65537, "é" * 32769, "a\0b", "\ud800"])
def test_other_user_data_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        check_user_data(text)
    assert caught.value.violations[0].field == "user_data"
