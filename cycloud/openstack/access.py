"""How to reach one cluster: a value that the catalog makes, so that nothing here knows a model."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ClusterAccess:
    """Credentials of one cluster. ``key`` and ``revision`` name the cached session.

    Either ``cloud_name`` (an entry of clouds.yaml) or the other fields. ``password`` never appears in repr.
    """

    key: str  # the cluster's uid
    revision: int
    cloud_name: str = ""
    auth_url: str = ""
    username: str = ""
    password: str = field(default="", repr=False)
    project_name: str = ""
    user_domain_name: str = "Default"
    project_domain_name: str = "Default"
    region_name: str = ""
    ca_certificate: str = ""
    compute_microversion: str = ""
    block_storage_microversion: str = ""
