"""Clients of clusters, one per cluster and revision of its credentials, shared by all threads."""

import contextlib
import os
import tempfile
import threading
from pathlib import Path
from typing import Any

import openstack
import requests
from openstack import exceptions as sdk

from cycloud.openstack.access import ClusterAccess
from cycloud.openstack.client import ClusterClient
from cycloud.openstack.connection import CINDER, NOVA, ClusterConnection
from cycloud.openstack.faults import FaultKind, ProviderFault
from cycloud.openstack.images import ImageCalls
from cycloud.openstack.limits import forget_limits, limits_of
from cycloud.openstack.ports import PortCalls
from cycloud.openstack.servers import ServerCalls
from cycloud.openstack.translation import safe_text
from cycloud.openstack.volumes import VolumeCalls

CONNECT_SECONDS = 5.0
DEFAULT_TIMEOUT_SECONDS = 30.0
DEFAULT_CALLS_PER_SECOND = 50.0

# what we speak: tags at create need 2.52, an extend in use 3.42, attachments 3.27
COMPUTE_MICROVERSION = (2, 90)
COMPUTE_MINIMUM = (2, 52)
BLOCK_STORAGE_MICROVERSION = (3, 66)
BLOCK_STORAGE_MINIMUM = (3, 42)


class OpenStackClient(ServerCalls, VolumeCalls, PortCalls, ImageCalls):
    """The calls to one cluster; the meaning of each is in ``ClusterClient``."""

    def __init__(self, connection: ClusterConnection, certificate: Path | None = None) -> None:
        self._connection = connection
        self._certificate = certificate

    def close(self) -> None:
        """Remove what the client keeps on disk; open calls end by themselves."""
        if self._certificate is not None:
            with contextlib.suppress(FileNotFoundError):
                self._certificate.unlink()


class _Timeouts(requests.adapters.HTTPAdapter):
    """Gives every request, those for tokens too, a time-out for connecting and one for reading."""

    def __init__(self, read_seconds: float) -> None:
        self._timeout = (min(CONNECT_SECONDS, read_seconds), read_seconds)
        super().__init__(pool_maxsize=32, max_retries=0)

    def send(
        self, request: requests.PreparedRequest, *args: Any, **kwargs: Any
    ) -> requests.Response:
        return super().send(request, *args, **{**kwargs, "timeout": self._timeout})


_clients: dict[str, tuple[int, OpenStackClient]] = {}
_lock = threading.Lock()


def client_for(
    access: ClusterAccess,
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    calls_per_second: float = DEFAULT_CALLS_PER_SECOND,
) -> ClusterClient:
    """Return the client of a cluster; makes no request. A new revision replaces the old client.

    :param timeout_seconds: how long to wait for an answer; connecting has at most 5 seconds.
    :param calls_per_second: what all clients of the cluster in this process may make together.
    :raises ProviderFault: INVALID where the credentials or the microversion limits cannot be used.
    """
    with _lock:
        known = _clients.get(access.key)
        if known is not None and known[0] >= access.revision:
            return known[1]
        client = _connect(access, timeout_seconds, calls_per_second)
        _clients[access.key] = (access.revision, client)
    if known is not None:
        known[1].close()
    return client


def forget_clients() -> None:
    """Drop all clients with their tokens, and close all circuits (tests, changed settings)."""
    with _lock:
        clients = [client for _, client in _clients.values()]
        _clients.clear()
    for client in clients:
        client.close()
    forget_limits()


def _connect(
    access: ClusterAccess, timeout_seconds: float, calls_per_second: float
) -> OpenStackClient:
    microversions = {
        NOVA: _microversion(
            "compute", COMPUTE_MICROVERSION, COMPUTE_MINIMUM, access.compute_microversion
        ),
        CINDER: _microversion(
            "block storage",
            BLOCK_STORAGE_MICROVERSION,
            BLOCK_STORAGE_MINIMUM,
            access.block_storage_microversion,
        ),
    }
    certificate = _certificate_file(access)
    options = _options(access, certificate)
    try:
        sdk_connection = openstack.connect(**options)
    except (sdk.SDKException, OSError, ValueError) as error:
        raise ProviderFault(
            FaultKind.INVALID, safe_text(str(error), (access.password,)), service="keystone"
        ) from None
    session = sdk_connection.session
    for scheme in ("http://", "https://"):
        session.session.mount(scheme, _Timeouts(timeout_seconds))
    config = sdk_connection.config
    connection = ClusterConnection(
        key=access.key,
        session=session,
        limits=limits_of(access.key, calls_per_second),
        interface=str(config.get_interface("compute") or "public"),
        region_name=access.region_name or config.get_region_name("compute") or None,
        microversions=microversions,
        secrets=(access.password,) if access.password else (),
    )
    return OpenStackClient(connection, certificate)


def _options(access: ClusterAccess, certificate: Path | None) -> dict[str, Any]:
    options: dict[str, Any] = {"app_name": "cycloud"}
    if access.region_name:
        options["region_name"] = access.region_name
    if certificate is not None:
        options["cacert"] = str(certificate)
    if access.cloud_name:
        return {**options, "cloud": access.cloud_name}
    return {
        **options,
        "load_yaml_config": False,
        "load_envvars": False,
        "verify": True,
        "auth_type": "v3password",
        "auth": {
            "auth_url": access.auth_url,
            "username": access.username,
            "password": access.password,
            "project_name": access.project_name,
            "user_domain_name": access.user_domain_name,
            "project_domain_name": access.project_domain_name,
        },
    }


def _certificate_file(access: ClusterAccess) -> Path | None:
    """Write the PEM text where requests can read it: it takes a path only."""
    if not access.ca_certificate:
        return None
    handle, name = tempfile.mkstemp(prefix="cycloud-ca-", suffix=".pem")
    with os.fdopen(handle, "w") as file:
        file.write(access.ca_certificate)
    return Path(name)


def _microversion(service: str, ours: tuple[int, int], minimum: tuple[int, int], limit: str) -> str:
    """Return the lower of what we speak and the cluster's limit ("" for none), as in "2.90"."""
    chosen = ours
    if limit:
        try:
            major, minor = limit.split(".")
            chosen = min(ours, (int(major), int(minor)))
        except ValueError:
            raise ProviderFault(
                FaultKind.INVALID,
                f"the {service} microversion {limit!r} is not of the form 2.90: correct the cluster",
            ) from None
    if chosen < minimum:
        raise ProviderFault(
            FaultKind.INVALID,
            f"the {service} microversion limit {limit} is below {_dotted(minimum)}, "
            "which is the lowest that serves: raise the cluster's limit",
        )
    return _dotted(chosen)


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(str(part) for part in version)
