"""What an operator declares of a cluster, and through which states it goes. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from catalog.domain.fields import check_catalog_id
from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument
from cycloud.core.aip.names import check_resource_id
from cycloud.core.resources.metadata import check_display_name

_MICROVERSION = re.compile(r"[1-9]\.(0|[1-9][0-9]{0,3})")
_TEXTS = (
    "cloud_name",
    "username",
    "project_name",
    "user_domain_name",
    "project_domain_name",
    "region_name",
    "server_availability_zone",
)


@dataclass(frozen=True)
class OpenStackClusterInput:
    """Credentials: ``cloud_name`` (an entry of clouds.yaml) or auth_url, username, project_name and password.

    ``password`` None or "" keeps the stored one. It is in no repr.
    """

    availability_zone: str
    controller_name: str
    display_name: str = ""
    cloud_name: str = ""
    auth_url: str = ""
    username: str = ""
    password: str | None = field(default=None, repr=False)
    project_name: str = ""
    user_domain_name: str = "Default"
    project_domain_name: str = "Default"
    region_name: str = ""
    ca_certificate: str = ""
    compute_microversion: str = ""
    block_storage_microversion: str = ""
    server_availability_zone: str = ""
    manages_networks: bool = False

    def check(self, *, has_password: bool) -> None:
        """Raise InvalidArgument naming the field that is wrong.

        ``has_password``: one is stored already.
        """
        check_display_name(self.display_name)
        check_catalog_id(self.availability_zone, "availability_zone")
        # it names a worker's queue
        check_resource_id(self.controller_name, "controller_name")
        for name in _TEXTS:
            value = getattr(self, name)
            if len(value) > 255 or not value.isprintable():
                raise InvalidArgument.field(name, "use up to 255 printable characters.")
        self._check_credentials(has_password)
        if self.ca_certificate and "-----BEGIN CERTIFICATE-----" not in self.ca_certificate:
            raise InvalidArgument.field("ca_certificate", "must be certificates in PEM form.")
        for name in ("compute_microversion", "block_storage_microversion"):
            value = getattr(self, name)
            if value and not _MICROVERSION.fullmatch(value):
                raise InvalidArgument.field(
                    name, f"{value[:40]!r} is not a microversion such as 2.90; or leave it empty."
                )

    def _check_credentials(self, has_password: bool) -> None:
        if self.cloud_name:
            if self.auth_url or self.username or self.project_name or self.password:
                raise InvalidArgument.field(
                    "cloud_name",
                    "the credentials come from clouds.yaml: leave auth_url, username, password and "
                    "project_name empty, or cloud_name.",
                )
            return
        for name in ("auth_url", "username", "project_name"):
            if not getattr(self, name):
                raise InvalidArgument.field(
                    name, "is needed, or cloud_name with the name of an entry of clouds.yaml."
                )
        if not self.password and not has_password:
            raise InvalidArgument.field("password", "is needed, since none is stored yet.")
        if not _is_web_address(self.auth_url):
            raise InvalidArgument.field(
                "auth_url",
                "must be the address of Keystone, such as https://keystone.example:5000/v3, "
                "without a user or password in it.",
            )


def _is_web_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
        port_is_good = parts.port is None or parts.port > 0
    except ValueError:
        return False
    return (
        parts.scheme in {"http", "https"}
        and bool(parts.hostname)
        and "@" not in parts.netloc
        and port_is_good
        and len(value) <= 200
        and value.isprintable()
        and " " not in value
    )


# from -> to. Retired is final: its cluster is never called again, so nothing could be known of it.
TRANSITIONS: Mapping[str, frozenset[str]] = {
    "Active": frozenset({"Cordoned", "Draining"}),
    "Cordoned": frozenset({"Active", "Draining", "Retired"}),
    "Draining": frozenset({"Active", "Cordoned", "Retired"}),
    "Retired": frozenset(),
}


def check_transition(name: str, current: str, wanted: str, remaining: Mapping[str, int]) -> None:
    """Raise FailedPrecondition unless the cluster may go from ``current`` to ``wanted``.

    ``remaining`` counts what is there by kind; a cluster is retired only when it is empty.
    Raises InvalidArgument for a state that does not exist.
    """
    if wanted not in TRANSITIONS:
        raise InvalidArgument.field(
            "state", f"{wanted[:40]!r} is not a state. Use one of {', '.join(TRANSITIONS)}."
        )
    if wanted == current:
        return
    if wanted not in TRANSITIONS[current]:
        allowed = ", ".join(sorted(TRANSITIONS[current])) or "none: it is final"
        raise FailedPrecondition(
            f"{name} is {current} and cannot become {wanted}. Allowed from {current}: {allowed}.",
            resource=name,
            reason="CLUSTER_STATE",
        )
    left = {kind: count for kind, count in sorted(remaining.items()) if count}
    if wanted == "Retired" and left:
        text = ", ".join(f"{count} {kind}" for kind, count in left.items())
        raise FailedPrecondition(
            f"{name} cannot be retired: still there are {text}. Drain it until it is empty.",
            resource=name,
            reason="CLUSTER_NOT_EMPTY",
        )
