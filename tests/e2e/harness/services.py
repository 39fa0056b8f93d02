"""Private services for suites: PostgreSQL in a folder of its own, a vhost in the broker.

Nothing here is a system service, and nothing is left behind: the server ends with the block, and
with this process where that is killed.
"""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.harness.testbed import osbed

DATABASE = "cycloud"
START_SECONDS = 60
# a test database may be lost in a power cut
FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200"]


class PostgresUnavailable(Exception):
    """PostgreSQL is not installed or does not start; the text says what to do."""


def free_port(host: str = "127.0.0.1") -> int:
    """Return a TCP port that nobody listens on at this moment."""
    with socket.create_server((host, 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def postgres_server(folder: Path) -> Iterator[str]:
    """Run a new, empty PostgreSQL on 127.0.0.1 and give its URL; its log goes into ``folder``.

    Raises PostgresUnavailable naming the package to install.
    """
    binaries = _binaries()
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "postgresql.log"
    # a folder of its own: the user postgres may not enter the folders that pytest makes
    home = Path(tempfile.mkdtemp(prefix="cycloud-postgres-"))
    prefix: list[str] = []
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(home, owner.pw_uid, owner.pw_gid)
        # PostgreSQL refuses to run as root
        prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
    prefix = [*(prefix or ["setpriv"]), "--pdeathsig=INT"]
    try:
        _create(prefix, binaries, home / "data")
        port = free_port()
        options = [f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={home}"]
        command = [*prefix, str(binaries / "postgres"), "-D", str(home / "data")]
        command += [word for option in [*options, *FAST] for word in ("-c", option)]
        with log.open("ab") as out:
            server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        try:
            _wait(server, binaries, port, log)
            yield f"postgres://{DATABASE}@127.0.0.1:{port}/{DATABASE}"
        finally:
            # SIGINT: "fast" shutdown, open connections are cut
            server.send_signal(2)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _binaries() -> Path:
    def version(path: Path) -> int:
        return int(path.parent.name) if path.parent.name.isdigit() else 0

    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=version)
    if not found or not (found[-1] / "initdb").exists():
        raise PostgresUnavailable(
            "PostgreSQL is not installed. Install it with: "
            "apt-get install -y --no-install-recommends postgresql"
        )
    return found[-1]


def _create(prefix: list[str], binaries: Path, data: Path) -> None:
    command = [*prefix, str(binaries / "initdb"), "-D", str(data), "-U", DATABASE]
    command += ["-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"]
    result = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
    if result.returncode:
        raise PostgresUnavailable(f"initdb failed: {result.stdout}{result.stderr}")


def _wait(server: subprocess.Popen[bytes], binaries: Path, port: int, log: Path) -> None:
    """Wait until the server takes connections, then create the database."""
    where = ["-h", "127.0.0.1", "-p", str(port), "-U", DATABASE]
    end = time.monotonic() + START_SECONDS
    while subprocess.run(
        [binaries / "pg_isready", "-q", *where, "-d", "postgres"], check=False
    ).returncode:
        if server.poll() is not None or time.monotonic() > end:
            raise PostgresUnavailable(
                f"PostgreSQL did not start on port {port}: {log.read_text()[-2000:]}"
            )
        time.sleep(0.05)
    subprocess.run([binaries / "createdb", *where, DATABASE], check=True)


def broker_vhost(name: str = "cycloud") -> str:
    """Give the URL of an empty vhost in the test bed's RabbitMQ; what it held before is gone."""
    osbed("vhost", name)
    return f"amqp://osbed:osbed@127.0.0.10:25672/{name}"
