"""Where the test bed lives, which addresses it uses, and how it runs a command."""

import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import IO

KIT = pathlib.Path(__file__).resolve().parent.parent
ROOT = pathlib.Path(os.environ.get("OSBED_ROOT", pathlib.Path.home() / ".cache/cycloud-testbed"))
DEFAULT_RELEASE = os.environ.get("OSBED_RELEASE", "2026.2")
RUN = pathlib.Path(os.environ.get("OSBED_RUN", ROOT / "run"))
CACHE = pathlib.Path(os.environ.get("OSBED_CACHE", ROOT / "cache"))
COMPUTE_DRIVER = os.environ.get("OSBED_COMPUTE_DRIVER", "osbed.OsbedDriver")
TOKEN_TTL = os.environ.get("OSBED_TOKEN_TTL", "14400")
NEUTRON_SERVICE_PLUGINS = os.environ.get("OSBED_NEUTRON_SERVICE_PLUGINS", "router")

INFRA_IP = "127.0.0.10"
DB_PORT, AMQP_PORT, EPMD_PORT, DIST_PORT, CEPH_PORT = 23306, 25672, 24369, 25673, 23300
# of the database, the message bus and every keystone user: loopback only, holds nothing of worth
PASSWORD = "osbed"


def venv(release: str) -> pathlib.Path:
    """Return the Python environment of one OpenStack release."""
    return ROOT / f"venv-{release}"


def say(text: str) -> None:
    """Print one line with the time of day."""
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def sh(
    args: Sequence[object],
    env: dict[str, str] | None = None,
    cwd: pathlib.Path | None = None,
    stdin: IO[str] | None = None,
    stdout: IO[str] | None = None,
) -> str:
    """Run a command and return its output; where it fails, show the output and exit."""
    words = [str(arg) for arg in args]
    result = subprocess.run(
        words,
        env=env,
        cwd=cwd,
        stdin=stdin,
        stdout=stdout or subprocess.PIPE,
        # a dump that is written to a file must not get the warnings of its tool
        stderr=None if stdout else subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode:
        sys.exit(f"{' '.join(words)}\nexit {result.returncode}\n{result.stdout}")
    return result.stdout or ""
