"""What a request says about an instance, and the rules that need no database."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from compute.models import DesiredState
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.masks import MapChange

__all__ = [
    "InlineNetworkInterface",
    "InlineVolume",
    "InstanceInput",
    "InstanceUpdate",
    "NetworkInterfaceReference",
    "VolumeReference",
    "check_desired_state",
    "check_ssh_public_keys",
    "check_user_data",
]

# what sshd accepts in authorized_keys (OpenSSH sshd(8)), without the retired ssh-dss
_KEY_TYPES = frozenset(
    {
        "ssh-ed25519",
        "ssh-rsa",
        "ecdsa-sha2-nistp256",
        "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521",
        "sk-ssh-ed25519@openssh.com",
        "sk-ecdsa-sha2-nistp256@openssh.com",
    }
)
_MAX_KEYS = 32
_MAX_KEY_LENGTH = 8192
_MAX_USER_DATA_BYTES = 64 * 1024


@dataclass(frozen=True)
class VolumeReference:
    """A volume that exists: its id or full name."""

    id: str


@dataclass(frozen=True)
class InlineVolume:
    """A volume to be made with the instance, in the instance's zone. Size in GiB."""

    volume_type: str
    size_gib: int
    image: str | None = None
    volume_id: str | None = None


@dataclass(frozen=True)
class NetworkInterfaceReference:
    """A network interface that exists: its id or full name."""

    id: str


@dataclass(frozen=True)
class InlineNetworkInterface:
    """A network interface to be made with the instance; ``ip_address`` None: any free one."""

    subnet: str
    ip_address: str | None = None


@dataclass(frozen=True)
class InstanceInput:
    """An instance to be made. The first volume boots."""

    instance_type: str
    availability_zone: str
    volumes: tuple[VolumeReference | InlineVolume, ...]
    network_interfaces: tuple[NetworkInterfaceReference | InlineNetworkInterface, ...]
    ssh_public_keys: tuple[str, ...] = ()
    user_data: str = ""
    desired_state: str = DesiredState.RUNNING
    deletion_protection: bool = False
    display_name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class InstanceUpdate:
    """A change of an instance; None leaves a field as it is.

    ``instance_type``, ``ssh_public_keys`` and ``user_data`` touch nothing that runs: they are taken at the next start.
    ``network_interfaces`` replaces the list, of a stopped instance only. ``desired_state`` does what start and stop
    do, after the rest: a new type and RUNNING for a stopped instance start it with that type.
    """

    instance_type: str | None = None
    ssh_public_keys: tuple[str, ...] | None = None
    user_data: str | None = None
    network_interfaces: tuple[NetworkInterfaceReference | InlineNetworkInterface, ...] | None = None
    desired_state: str | None = None
    deletion_protection: bool | None = None
    display_name: str | None = None
    labels: MapChange | None = None
    annotations: MapChange | None = None


def check_desired_state(value: str) -> str:
    """Return ``value`` if it is RUNNING or STOPPED."""
    if value not in DesiredState.values:
        raise InvalidArgument.field("desired_state", "use RUNNING or STOPPED.")
    return value


def check_ssh_public_keys(keys: Sequence[str]) -> list[str]:
    """Return the keys, stripped, if each is "type base64 [comment]" and the base64 is of that type.

    Raises InvalidArgument naming the key by its place. Format: RFC 4253 section 6.6.
    """
    if len(keys) > _MAX_KEYS:
        raise InvalidArgument.field(
            "ssh_public_keys", f"at most {_MAX_KEYS} keys; these are {len(keys)}."
        )
    return [_checked_key(key, f"ssh_public_keys[{place}]") for place, key in enumerate(keys)]


def check_user_data(value: str) -> str:
    """Return the text if it is valid Unicode without NUL, of at most 64 KiB in UTF-8."""
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise InvalidArgument.field("user_data", "it is not valid Unicode text.") from None
    if "\0" in value:
        raise InvalidArgument.field("user_data", "it holds a NUL character.")
    if size > _MAX_USER_DATA_BYTES:
        raise InvalidArgument.field(
            "user_data",
            f"it has {size} bytes, and 64 KiB (65536 bytes) is the most. Let it fetch the rest itself.",
            "USER_DATA_TOO_LARGE",
        )
    return value


def _checked_key(key: str, field_name: str) -> str:
    text = key.strip()
    parts = text.split(" ", 2)
    kind = parts[0]
    printable = text.isprintable() and len(text) <= _MAX_KEY_LENGTH
    if not printable or len(parts) < 2 or kind not in _KEY_TYPES or not _holds(parts[1], kind):
        raise InvalidArgument.field(
            field_name,
            "this is not an SSH public key. Give one line as in a .pub file: a key type "
            f"({', '.join(sorted(_KEY_TYPES))}), the key in base64, and a comment if you like.",
            "INVALID_SSH_PUBLIC_KEY",
        )
    return text


def _holds(encoded: str, kind: str) -> bool:
    """Whether the base64 is a key blob of that type: it begins with its length-prefixed name."""
    try:
        blob = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return False
    name = kind.encode()
    head = len(name).to_bytes(4, "big") + name
    return blob.startswith(head) and len(blob) > len(head)
