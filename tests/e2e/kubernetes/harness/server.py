"""API servers of the suites' own, from the programs that ``make kube-up`` builds (tests/e2e/kubernetes/kit)."""

import hashlib
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

KIT = Path(__file__).resolve().parent.parent / "kit"
ROOT = Path(os.environ.get("CYCLOUD_KUBE_ROOT", Path.home() / ".cache/cycloud-kube"))
PROGRAMS = ROOT / "bin"
SUITES = ROOT / "suites"
COMMAND_SECONDS = 120


class ServerError(Exception):
    """A script of the kit failed; the text holds what it printed."""


def missing() -> str | None:
    """Return why no API server can be started, or None where one can."""
    files = (KIT / "go.mod").read_bytes() + (KIT / "go.sum").read_bytes()
    wanted = hashlib.sha256(files).hexdigest()
    built = PROGRAMS / "built"
    # as sha256sum prints it: "<digest>  -"
    if not built.exists() or built.read_text().split()[0] != wanted:
        return "the Kubernetes API server is not built yet; build and start it with: make kube-up"
    return None


@dataclass(frozen=True)
class Ports:
    """Of the API server, etcd (``etcd`` and the next one) and the controller manager."""

    api: int
    etcd: int
    manager: int


def free_ports(host: str) -> Ports:
    """Return ports that nobody listens on at this moment."""
    while True:
        with ExitStack() as stack:
            try:
                first = [stack.enter_context(socket.create_server((host, 0))) for _ in range(3)]
                numbers = [int(s.getsockname()[1]) for s in first]
                stack.enter_context(socket.create_server((host, numbers[1] + 1)))
            except OSError:
                continue
            return Ports(*numbers)


@dataclass(frozen=True)
class ApiServer:
    """One API server with its etcd. Ports and folder are this process's own: runs side by side do not meet."""

    name: str
    host: str
    ports: Ports
    # of kube-apiserver, besides the kit's own
    flags: str = ""

    @classmethod
    def on(cls, host: str, name: str) -> "ApiServer":
        """One on a loopback address, with free ports."""
        return cls(f"{name}-{os.getpid()}", host, free_ports(host))

    @property
    def root(self) -> Path:
        return SUITES / self.name

    @property
    def url(self) -> str:
        return f"https://{self.host}:{self.ports.api}"

    @property
    def ca(self) -> Path:
        return self.root / "pki/ca.crt"

    def kubeconfig(self, user: str = "admin") -> Path:
        """Return the file for ``admin`` (all rights) or ``cycloud`` (none until a role is bound)."""
        return self.root / f"{user}.kubeconfig"

    def token(self, user: str = "admin") -> str:
        lines = (line.split(",") for line in (self.root / "tokens.csv").read_text().splitlines())
        return next(fields[0] for fields in lines if fields[1] == user)

    def up(self) -> None:
        """Start it and wait until it is ready; nothing where it runs."""
        self._run("up.sh")

    def down(self, *, delete: bool = False) -> None:
        """Stop it; with ``delete`` its objects, certificates and tokens go too."""
        self._run("down.sh", *(["--delete"] if delete else []))

    def wipe(self) -> None:
        """Lose etcd's data: it comes back with the same address, certificates and users, and no objects."""
        self.down()
        shutil.rmtree(self.root / "etcd")
        self.up()

    @contextmanager
    def running(self) -> Iterator["ApiServer"]:
        """Run a new, empty one for the length of a block."""
        remove_abandoned()
        self.up()
        try:
            yield self
        finally:
            self.remove()

    def remove(self) -> None:
        """Stop it, and leave nothing of it."""
        self.down(delete=True)
        shutil.rmtree(self.root, ignore_errors=True)

    def _run(self, script: str, *arguments: str) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("CYCLOUD_KUBE_")}
        own = {
            "CYCLOUD_KUBE_ROOT": str(self.root),
            "CYCLOUD_KUBE_BIN": str(PROGRAMS),
            "CYCLOUD_KUBE_HOST": self.host,
            "CYCLOUD_KUBE_PORT": str(self.ports.api),
            "CYCLOUD_KUBE_ETCD_PORT": str(self.ports.etcd),
            "CYCLOUD_KUBE_MANAGER_PORT": str(self.ports.manager),
            "CYCLOUD_KUBE_APISERVER_FLAGS": self.flags,
        }
        # into a file: the servers inherit what the script has, and a pipe would stay open as long as they run
        log = self.root / f"{script}.out"
        with log.open("wb") as out:
            done = subprocess.run(
                [str(KIT / script), *arguments],
                env={**kept, **own},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                timeout=COMMAND_SECONDS,
                check=False,
            )
        if done.returncode:
            raise ServerError(f"{script} of {self.name}: {log.read_text()[-3000:]}")


def remove_abandoned() -> None:
    """Stop and remove the servers of runs that were killed."""
    for folder in SUITES.glob("*-*"):
        if not Path("/proc", folder.name.rpartition("-")[2]).exists():
            ApiServer(folder.name, "127.0.0.1", Ports(0, 0, 0)).remove()
