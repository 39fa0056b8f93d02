"""A portal with its workers and watcher in threads of the test, over one API server and simulated or real clouds."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field

from django.core.management import call_command
from django.test.utils import override_settings

from cycloud.core.clock import use_clock
from cycloud.core.iam.actor import system_actor
from cycloud.embedded import seed_catalog as simulated
from cycloud.kubernetes.client import forget_client
from cycloud.kubernetes.webhooks.server import WebhookServer, options_of_settings
from cycloud.openstack.sessions import forget_clients
from tests.e2e.harness import seed
from tests.e2e.kubernetes.harness.clock import RunningClock
from tests.e2e.kubernetes.harness.install import install
from tests.e2e.kubernetes.harness.kubectl import Kubectl
from tests.e2e.kubernetes.harness.loops import Loops, close_connections
from tests.e2e.kubernetes.harness.server import ApiServer
from tests.e2e.kubernetes.harness.tenant import Offer, Tenant, make_tenant
from tests.e2e.kubernetes.harness.watching import Watching
from tests.support.clouds import Clouds, simulated_clouds

SIMULATED = Offer(
    simulated.ZONE, simulated.IMAGE, simulated.VOLUME_TYPE, simulated.SHORT_VOLUME_TYPE
)
REAL = Offer(seed.ZONE, seed.IMAGE, seed.VOLUME_TYPE, seed.SHORT_VOLUME_TYPE)


@dataclass
class World:
    """``clouds``: the simulated ones, None where the real ones are used."""

    server: ApiServer
    clock: RunningClock
    loops: Loops
    watching: Watching
    clouds: Clouds | None = None
    tenants: list[Tenant] = field(default_factory=list)

    @property
    def kubectl(self) -> Kubectl:
        """An administrator's, in no namespace."""
        return Kubectl(self.server)

    @property
    def simulated(self) -> Clouds:
        assert self.clouds is not None, "this world has real clouds"
        return self.clouds

    def tenant(
        self, project_id: str, *, bound: bool = True, cidr: str = "10.0.1.0/24", wait: bool = True
    ) -> Tenant:
        """Make a project, and wait until its namespace is there, unless the test runs the passes itself."""
        offer = SIMULATED if self.clouds is not None else REAL
        tenant = make_tenant(self.server, offer, project_id, bound=bound, cidr=cidr)
        self.tenants.append(tenant)
        if wait:
            tenant.api.wait_ready("subnets", "main")
        return tenant


@contextmanager
def simulated_world(
    server: ApiServer, *, webhook: bool = False, url: str = "", **settings: object
) -> Iterator[World]:
    """A portal over two simulated clouds; the database must be usable, and is empty afterwards.

    ``webhook``: the API server asks it before it takes an object. ``url``: by which way it goes to the API server.
    """
    clock = RunningClock()
    with ExitStack() as stack:
        stack.enter_context(_portal(server, clock, settings, webhook=webhook, url=url))
        # the catalog is there before the workers begin
        clouds = stack.enter_context(simulated_clouds(clock))  # type: ignore[arg-type]
        yield stack.enter_context(_working(World(server, clock, Loops(), Watching(), clouds)))


@contextmanager
def stepped_world(server: ApiServer, **settings: object) -> Iterator[World]:
    """A portal over simulated clouds without workers and watcher: the test runs the passes itself."""
    clock = RunningClock()
    with ExitStack() as stack:
        stack.enter_context(_portal(server, clock, settings))
        clouds = stack.enter_context(simulated_clouds(clock))  # type: ignore[arg-type]
        # no test of these is about tokens that run out
        clouds.site.token_ttl = 1e9
        world = World(server, clock, Loops(), Watching(), clouds)
        yield world
        for tenant in world.tenants:
            tenant.api.close()


@contextmanager
def real_world(server: ApiServer, facts: seed.Facts, **settings: object) -> Iterator[World]:
    """A portal over the two real clouds."""
    clock = RunningClock()
    with ExitStack() as stack:
        stack.enter_context(_portal(server, clock, settings))
        seed.seed_catalog(system_actor("suites"), facts)
        yield stack.enter_context(_working(World(server, clock, Loops(), Watching())))


@contextmanager
def _portal(
    server: ApiServer,
    clock: RunningClock,
    settings: dict[str, object],
    *,
    webhook: bool = False,
    url: str = "",
) -> Iterator[None]:
    """What an operator sets to have the resources in that API server."""
    values = {
        **install(server, webhook=webhook, url=url),
        "CYCLOUD_MIRRORS": ["cycloud.kubernetes.marks.mark_changed"],
        "CYCLOUD_KUBERNETES_CALLS_PER_SECOND": 500.0,
        **settings,
    }
    with override_settings(**values), use_clock(clock):
        forget_client()
        forget_clients()
        try:
            with _webhook() if webhook else nullcontext():
                yield
        finally:
            forget_client()
            forget_clients()
            call_command("flush", verbosity=0, interactive=False)
            close_connections()


@contextmanager
def _webhook() -> Iterator[None]:
    server = WebhookServer(options_of_settings())
    server.start()
    try:
        yield
    finally:
        server.stop()


@contextmanager
def _working(world: World) -> Iterator[World]:
    with world.loops.running(), world.watching.running():
        yield world
        for tenant in world.tenants:
            tenant.api.close()
    errors = [*world.loops.errors, *world.watching.errors]
    assert not errors, "\n".join(errors[:3])
