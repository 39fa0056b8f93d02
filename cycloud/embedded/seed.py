"""Everything that a first `make up` needs; harmless to repeat."""

from collections.abc import Callable
from pathlib import Path

from cycloud.core.iam.actor import system_actor
from cycloud.embedded.seed_catalog import seed_catalog
from cycloud.embedded.seed_demo import seed_network, seed_token, seed_users
from cycloud.embedded.seed_result import SeedResult
from cycloud.simulator.site import Site

__all__ = ["seed"]


def seed(site: Site, auth_url: Callable[[str], str], token_file: Path) -> SeedResult:
    """Make what is missing of the catalog, the demo project, its network, users and token.

    What is there stays as people left it. ``auth_url`` tells where a simulated cloud's Keystone answers.
    """
    actor = system_actor("seed")
    created = list(seed_catalog(actor, site, auth_url))
    users = seed_users(actor)
    created += users.created
    created += seed_network(actor)
    created += seed_token(actor, token_file)
    return SeedResult(tuple(created), token_file, users.passwords)
