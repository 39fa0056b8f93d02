"""``manage.py up`` as a process of its own, with its own data and ports."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 60.0
STOP_SECONDS = 20.0
POLL_SECONDS = 0.1


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class EmbeddedPortal:
    """A context in which the portal serves; ``output`` is what it wrote."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.port, self.simulator_port = free_port(), free_port()
        self.grpc_port = free_port()
        self._log = data_dir.with_name(f"{data_dir.name}-{self.port}.log")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def simulator_url(self) -> str:
        return f"http://127.0.0.1:{self.simulator_port}"

    @property
    def env(self) -> dict[str, str]:
        prefixes = ("CYCLOUD_", "DJANGO_", "CELERY_", "OS_", "COV_")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}
        return {
            **inherited,
            "DJANGO_SETTINGS_MODULE": "cycloud.settings.embedded",
            "CYCLOUD_DATA_DIR": str(self.data_dir),
            "PYTHONUNBUFFERED": "1",
            "PYTHONIOENCODING": "utf-8",
        }

    @property
    def output(self) -> str:
        return self._log.read_text()

    @property
    def token(self) -> str:
        return (self.data_dir / "demo-token").read_text().strip()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def manage(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run another command of ``manage.py`` beside it."""
        return subprocess.run(
            [sys.executable, "manage.py", *args],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )

    def __enter__(self) -> "EmbeddedPortal":
        numbers = {
            "--port": self.port,
            "--grpc-port": self.grpc_port,
            "--simulator-port": self.simulator_port,
        }
        ports = [word for option, number in numbers.items() for word in (option, str(number))]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "manage.py", "up", *ports],
                cwd=ROOT,
                env=self.env,
                stdout=log,
                stderr=subprocess.STDOUT,
                # signals of the terminal that runs the tests are not for it
                start_new_session=True,
            )
        end = time.monotonic() + START_SECONDS
        while "Ctrl-C stops everything" not in self.output:
            if self._process.poll() is not None or time.monotonic() > end:
                self._process.kill()
                raise AssertionError(f"manage.py up did not start:\n{self.output[-4000:]}")
            time.sleep(POLL_SECONDS)
        return self

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send the signal and return the exit status."""
        assert self._process is not None
        self._process.send_signal(number)
        try:
            return self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise AssertionError(f"it did not stop:\n{self.output[-4000:]}") from None

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        if self._process.poll() is None:
            self.stop()

    def get(self, path: str) -> httpx.Response:
        """GET below ``/v1/`` with the token of the tour."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.get(f"{self.url}/v1/{path}", headers=headers, timeout=30)
