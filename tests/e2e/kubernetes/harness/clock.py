"""The portal's and the simulated clouds' clock: it runs as real time does, and can be set forward."""

from datetime import UTC, datetime, timedelta


class RunningClock:
    """Real time plus what was added. Kubernetes and real clouds have their own clock, which is left alone."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def timestamp(self) -> float:
        return self().timestamp()

    def advance(self, seconds: float) -> None:
        self._ahead += timedelta(seconds=seconds)

    def set(self, time: datetime) -> None:
        """Go forward to ``time``; from there it runs on."""
        self._ahead = time - datetime.now(UTC)
