"""Where the embedded portal listens and keeps its data."""

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

__all__ = [
    "DEFAULT_GRPC_PORT",
    "DEFAULT_PORT",
    "DEFAULT_SIMULATOR_PORT",
    "NotEmbedded",
    "UpOptions",
    "data_dir",
]

DEFAULT_PORT = 8000
DEFAULT_GRPC_PORT = 50051
DEFAULT_SIMULATOR_PORT = 5900


class NotEmbedded(Exception):
    """The settings in use are not those of the embedded portal."""


def data_dir() -> Path:
    """Return the folder of the embedded portal's data; raises NotEmbedded with other settings."""
    folder: Path | None = getattr(settings, "DATA_DIR", None)
    if folder is None:
        raise NotEmbedded(
            "This works with the embedded portal only. Leave DJANGO_SETTINGS_MODULE unset, or set it to "
            "cycloud.settings.embedded."
        )
    return folder


@dataclass(frozen=True)
class UpOptions:
    """``data_dir`` holds the database, the simulated clouds, the token of the tour and the lock."""

    data_dir: Path
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    grpc_port: int = DEFAULT_GRPC_PORT
    simulator_port: int = DEFAULT_SIMULATOR_PORT
    worker_threads: int = 4
    # beside the others: no work on OpenStack waits for a Kubernetes API
    kubernetes_threads: int = 4

    @property
    def simulator_state(self) -> Path:
        return self.data_dir / "simulator.state"

    @property
    def token_file(self) -> Path:
        return self.data_dir / "demo-token"

    def auth_url(self, cloud: str) -> str:
        """Where the Keystone of a simulated cloud answers."""
        return f"http://127.0.0.1:{self.simulator_port}/{cloud}/identity/v3"

    @property
    def lock_file(self) -> Path:
        return self.data_dir / "up.lock"
