"""How to reach the Kubernetes API: a kubeconfig, or what a pod finds in itself. Reading both is the library's part.

The certificate of the server is always verified: a configuration that says otherwise is refused. No text here quotes
the configuration, since it holds credentials.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from kubernetes.client import Configuration
from kubernetes.config import ConfigException, load_incluster_config, load_kube_config

__all__ = ["ApiAccess", "UnusableConfiguration", "access_of_settings", "load_configuration"]

# every kind has a watch that stays open, besides what the workers' threads call
POOL_SIZE = 64

_load_kubeconfig: Callable[..., None] = load_kube_config
_load_in_cluster: Callable[..., None] = load_incluster_config


class UnusableConfiguration(ImproperlyConfigured):
    """The Kubernetes API cannot be, or must not be, used with this configuration; the text says what to change."""


@dataclass(frozen=True)
class ApiAccess:
    """Where the configuration is: a kubeconfig's path and context (empty: its current one), or in the cluster."""

    kubeconfig: str = ""
    context: str = ""
    in_cluster: bool = False


def access_of_settings() -> ApiAccess:
    """Return what CYCLOUD_KUBERNETES_KUBECONFIG, _CONTEXT and _IN_CLUSTER say."""
    return ApiAccess(
        settings.CYCLOUD_KUBERNETES_KUBECONFIG,
        settings.CYCLOUD_KUBERNETES_CONTEXT,
        settings.CYCLOUD_KUBERNETES_IN_CLUSTER,
    )


def load_configuration(access: ApiAccess) -> Configuration:
    """Return the library's configuration; makes no call.

    :raises UnusableConfiguration: it is missing, broken, not HTTPS, or turns the verification of certificates off.
    """
    if access.in_cluster and access.kubeconfig:
        raise UnusableConfiguration(
            "CYCLOUD_KUBERNETES_KUBECONFIG and CYCLOUD_KUBERNETES_IN_CLUSTER are both set: "
            "set one of them, so that it is clear which API server is meant."
        )
    if not access.in_cluster and not access.kubeconfig:
        raise UnusableConfiguration(
            "No Kubernetes API is configured: set CYCLOUD_KUBERNETES_KUBECONFIG to the path of a kubeconfig, "
            "or CYCLOUD_KUBERNETES_IN_CLUSTER=true in a pod."
        )
    configuration = Configuration()
    if access.in_cluster:
        _read_in_cluster(configuration)
        source = "the pod's service account"
    else:
        _read_kubeconfig(configuration, access)
        source = access.kubeconfig
    _refuse_what_is_not_verified(configuration, source)
    # nothing is sent twice behind the caller's back, and no redirect is followed with our credentials
    configuration.retries = False
    # a watch whose peer is gone without a word is noticed
    configuration.keep_alive = True
    configuration.connection_pool_maxsize = POOL_SIZE
    return configuration


def _read_in_cluster(configuration: Configuration) -> None:
    try:
        _load_in_cluster(client_configuration=configuration)
    except (ConfigException, OSError) as error:
        raise UnusableConfiguration(
            f"CYCLOUD_KUBERNETES_IN_CLUSTER is set, but this is no pod with a service account ({error}). "
            "Mount the service account's token, or set CYCLOUD_KUBERNETES_KUBECONFIG."
        ) from None


def _read_kubeconfig(configuration: Configuration, access: ApiAccess) -> None:
    path = Path(access.kubeconfig).expanduser()
    if not path.is_file():
        raise UnusableConfiguration(
            f"CYCLOUD_KUBERNETES_KUBECONFIG: {access.kubeconfig} is not a file."
        )
    try:
        _load_kubeconfig(
            config_file=str(path),
            context=access.context or None,
            client_configuration=configuration,
            # the file is the operator's: renewed tokens stay in memory
            persist_config=False,
        )
    except ConfigException as error:
        raise UnusableConfiguration(
            f"{access.kubeconfig} cannot be used: {error}. Set CYCLOUD_KUBERNETES_CONTEXT to one of its contexts."
        ) from None
    except yaml.YAMLError as error:
        # its text quotes the line, which may be the token's
        raise UnusableConfiguration(f"{access.kubeconfig} is not YAML{_place_in(error)}.") from None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UnusableConfiguration(
            f"{access.kubeconfig} is not a kubeconfig that can be read ({type(error).__name__}). "
            f"Try: kubectl --kubeconfig {access.kubeconfig} version"
        ) from None


def _place_in(error: yaml.YAMLError) -> str:
    mark: Any = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1})" if mark is not None else ""


def _refuse_what_is_not_verified(configuration: Configuration, source: str) -> None:
    scheme = urlsplit(configuration.host).scheme
    if scheme != "https":
        raise UnusableConfiguration(
            f"{source} names a server without TLS ({scheme or 'no scheme'}): credentials would be sent in clear text. "
            "Name it as https://...; a reachable port without TLS is none to use either."
        )
    if not configuration.verify_ssl or configuration.assert_hostname is False:
        raise UnusableConfiguration(
            f"{source} has insecure-skip-tls-verify: anybody on the way could read the credentials. "
            "Remove it and set certificate-authority (or certificate-authority-data) instead."
        )
