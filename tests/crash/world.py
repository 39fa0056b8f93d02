"""The clouds and the database of one story, which can be taken back to any moment of it."""

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from compute.models import Instance, Volume
from cycloud.core.reconcile.leases import Work, claim_next
from cycloud.core.reconcile.models import DueRow
from cycloud.openstack.limits import ClusterLimits, set_limits
from cycloud.simulator.site import Site
from cycloud.simulator.storage import SparseObject, Storage
from tests.crash.worker import Worker
from tests.support.clouds import Clouds
from tests.support.engine import NotSettled, describe

# longer than a lease, a back-off and the short retention together; shorter than the long retention
HORIZON = timedelta(seconds=900)
# what the other workers get done while one is dead
MOMENT = timedelta(seconds=1)
PASSES = 300
OFFSET = 4096


class BytesLost(AssertionError):
    """A volume's bytes are gone, or there twice, while they must be kept."""


@dataclass
class World:
    """``precious``: the text in each volume by its name. ``purge_times``: from when on a text may go."""

    clouds: Clouds
    worker: Worker
    precious: dict[str, bytes] = field(default_factory=dict)
    purge_times: dict[str, datetime] = field(default_factory=dict)

    @property
    def site(self) -> Site:
        return self.clouds.site

    def lift_limits(self) -> None:
        """No waiting for the limit of calls per second."""
        for cloud in ("a", "b"):
            key = str(self.clouds.cluster(cloud).uid)
            set_limits(key, ClusterLimits(calls_per_second=1e9, burst=10**9))

    def write_bytes(self, instance: Instance) -> None:
        """Write a text of its own into each volume of the instance, which must not get lost from now on."""
        for attachment in instance.volume_attachments.all():
            self.write_text(attachment.volume)

    def write_text(self, volume: Volume) -> None:
        text = f"the bytes of {volume.resource_id}".encode()
        self.site.storage.write(self.clouds.object_of(volume), OFFSET, text)
        self.precious[volume.resource_id] = text

    def check_bytes(self) -> None:
        """Each precious text is in exactly one object of the storage, until its purge time."""
        for name, text in self.precious.items():
            copies = self.copies(text)
            if copies > 1 or (copies == 0 and not self.may_go(name)):
                raise BytesLost(f"the bytes of {name} are there {copies} times")

    def copies(self, text: bytes) -> int:
        """How many objects of the storage hold the text."""
        storage = self.site.storage
        return sum(storage.read(n, OFFSET, len(text)) == text for n in storage.names())

    def may_go(self, name: str) -> bool:
        """Whether the purge time of the volume has passed."""
        purge_time = self.purge_times.get(name)
        return purge_time is not None and self.clouds.clock.time >= purge_time

    # -- time

    def claim(self, until: datetime) -> Work | None:
        """Claim what is due next, at the time when it is; None if that is after ``until``."""
        while True:
            for queue in sorted(set(DueRow.objects.values_list("queue", flat=True))):
                work = claim_next(queue)
                if work is not None:
                    return work
            rows = DueRow.objects.filter(due__isnull=False).values_list("due", "lease_expires")
            times = [max(t for t in row if t is not None) for row in rows]
            if not times or min(times) > until:
                return None
            self.clouds.clock.time = max(self.clouds.clock.time, min(times))

    def outlive_lease(self) -> None:
        """Let the other workers go on for a moment, then let the time of a dead worker's lease pass.

        In between the others would poll some hundred times for nothing, so that time is left out.
        """
        self._run(MOMENT)
        leases = DueRow.objects.filter(lease_expires__isnull=False)
        ends = list(leases.values_list("lease_expires", flat=True))
        self.clouds.clock.time = max([self.clouds.clock.time, *(end for end in ends if end)])

    def settle(self) -> None:
        """Go on until nothing is left to be done; the bytes are looked at after each pass."""
        self._run(HORIZON)

    def _run(self, time: timedelta) -> None:
        until = self.clouds.clock.time + time
        for _ in range(PASSES):
            work = self.claim(until)
            if work is None:
                return
            self.worker.run(work)
            self.check_bytes()
        raise NotSettled(f"{PASSES} passes without an end\n{describe()}")

    # -- going back

    @contextmanager
    def branch(self) -> Iterator[None]:
        """Whatever happens within the block, afterwards all is as before it."""
        state, time = _capture(self.site), self.clouds.clock.time
        precious, purge_times = dict(self.precious), dict(self.purge_times)
        savepoint = transaction.savepoint()
        try:
            yield
        finally:
            transaction.savepoint_rollback(savepoint)
            transaction.savepoint_commit(savepoint)
            _restore(self.site, state)
            self.clouds.clock.time = time
            self.precious, self.purge_times = precious, purge_times


@dataclass(frozen=True)
class _SiteState:
    clouds_and_timeline: bytes
    objects: dict[str, SparseObject]
    guest_events: list[dict[str, Any]]


def _capture(site: Site) -> _SiteState:
    with site.lock:
        objects = {n: site.storage.get(n) for n in site.storage.names()}
        return _SiteState(
            pickle.dumps((site.clouds, site.timeline)),
            # chunks are immutable, so a copy of the table of them is a copy of the bytes
            {n: o.copy(o.size, o.backend) for n, o in objects.items()},
            list(site.guest_events),
        )


def _restore(site: Site, state: _SiteState) -> None:
    with site.lock:
        tokens = {name: cloud.tokens for name, cloud in site.clouds.items()}
        site.clouds, site.timeline = pickle.loads(state.clouds_and_timeline)
        for name, cloud in site.clouds.items():
            # the clients, which are not taken back, go on with theirs
            cloud.tokens = tokens[name]
        site.storage = Storage()
        for name, item in state.objects.items():
            site.storage.put(name, item.copy(item.size, item.backend))
        site.guest_events[:] = state.guest_events
        site.faults.clear()
