from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from cycloud.core.reconcile import engine
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome
from tests.support.engine import Clock, frozen_clock


@dataclass
class Probe:
    """A controller that does what the test says and remembers its passes."""

    name: str = "probe"
    act: Callable[[Work], Outcome] = lambda work: Done()
    keys: list[str] = field(default_factory=list)

    def reconcile(self, work: Work) -> Outcome:
        self.keys.append(work.key)
        return self.act(work)


@pytest.fixture
def clock() -> Iterator[Clock]:
    with frozen_clock() as clock:
        yield clock


@pytest.fixture
def probe(db: None, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Probe:
    """Stands for every controller; the clock is the test's."""
    probe = Probe()
    monkeypatch.setattr(engine, "controller", lambda name: probe)
    return probe
