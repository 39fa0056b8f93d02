"""The portal as in production: web, workers and beat as processes, over PostgreSQL and RabbitMQ."""

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from cryptography.fernet import Fernet

from tests.e2e.harness.processes import Program
from tests.e2e.harness.services import free_port
from tests.e2e.harness.testbed import CLOUDS_YAML

REPOSITORY = Path(__file__).resolve().parent.parent.parent.parent
READY_SECONDS = 60
POLL_SECONDS = 0.1
# what a worker calls itself -> the queues it reads; cluster.<controller_name>, as in production
DEFAULT_WORKERS: Mapping[str, Sequence[str]] = {
    "worker": ("cycloud",),
    "worker-a": ("cluster.kvm-a",),
    "worker-b": ("cluster.kvm-b",),
}


class PortalNotReady(Exception):
    """The portal did not answer in time; the text holds the ends of the logs."""


@dataclass
class Portal:
    """Processes and environment of one portal. Use ``start`` and ``stop``, or as a context."""

    folder: Path
    database_url: str
    broker_url: str
    workers: Mapping[str, Sequence[str]] = field(default_factory=lambda: DEFAULT_WORKERS)
    extra_env: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.env = self._environment()
        self.programs = {program.name: program for program in self._programs()}

    def _environment(self) -> dict[str, str]:
        own = {
            "DJANGO_SETTINGS_MODULE": "cycloud.settings.production",
            "DATABASE_URL": self.database_url,
            "CELERY_BROKER_URL": self.broker_url,
            "CYCLOUD_SECRET_KEY": secrets.token_urlsafe(48),
            "CYCLOUD_FIELD_KEYS": Fernet.generate_key().decode(),
            "CYCLOUD_ALLOWED_HOSTS": "127.0.0.1,localhost",
            "CYCLOUD_CSRF_TRUSTED_ORIGINS": self.url,
            "CYCLOUD_SECURE_COOKIES": "false",
            "CYCLOUD_SWEEP_SECONDS": "2",
            "OS_CLIENT_CONFIG_FILE": str(CLOUDS_YAML),
            "PYTHONUNBUFFERED": "1",
        }
        # the variables of whoever runs the suite must not reach the portal
        prefixes = ("CYCLOUD_", "DJANGO_", "CELERY_", "OS_", "DATABASE_URL")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}
        return {**inherited, **own, **self.extra_env}

    def _programs(self) -> list[Program]:
        python = [sys.executable, "-m"]
        celery = [*python, "celery", "-A", "cycloud"]
        commands = {
            "web": [
                *python,
                "uvicorn",
                "cycloud.asgi:application",
                "--host=127.0.0.1",
                f"--port={self.port}",
                "--lifespan=on",
            ],
            "beat": [*celery, "beat", f"--schedule={self.folder / 'beat'}", "--pidfile="],
        }
        for name, queues in self.workers.items():
            commands[name] = [
                *celery,
                "worker",
                "--pool=threads",
                "--concurrency=8",
                f"--queues={','.join(queues)}",
                f"--hostname={name}@portal",
                "--without-gossip",
                "--without-mingle",
            ]
        return [
            Program(name, command, self.env, REPOSITORY, self.folder / f"{name}.log")
            for name, command in commands.items()
        ]

    def manage(self, *args: str, stdin: str | None = None) -> str:
        """Run ``manage.py`` in the portal's environment and return what it printed."""
        result = subprocess.run(
            [sys.executable, "manage.py", *args],
            cwd=REPOSITORY,
            env=self.env,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode:
            raise PortalNotReady(
                f"manage.py {' '.join(args)} ended with {result.returncode}\n"
                f"{result.stdout[-4000:]}{result.stderr[-4000:]}"
            )
        return result.stdout

    def start(self) -> None:
        """Migrate the database, start every process, wait until the web answers."""
        self.manage("migrate", "--no-input", "--verbosity=0")
        for program in self.programs.values():
            program.start()
        self.wait_ready()

    def wait_ready(self, seconds: float = READY_SECONDS) -> None:
        """Wait for ``/healthz``; raises PortalNotReady with the logs' ends."""
        end = time.monotonic() + seconds
        answer = "no answer"
        while time.monotonic() < end:
            self.check()
            try:
                response = httpx.get(f"{self.url}/healthz", timeout=5)
            except httpx.TransportError as error:
                answer = repr(error)
            else:
                if response.status_code == 200:
                    return
                answer = f"{response.status_code} {response.text[:500]}"
            time.sleep(POLL_SECONDS)
        raise PortalNotReady(f"{self.url}/healthz after {seconds:.0f} s: {answer}\n{self.tails()}")

    def check(self) -> None:
        """Raise ProcessDied where a process that should run has ended."""
        for program in self.programs.values():
            program.check()

    def tails(self) -> str:
        """Return the ends of all logs, for a failure's message."""
        return "\n".join(program.tail() for program in self.programs.values())

    def kill_workers(self) -> None:
        """SIGKILL every worker at once; beat and web go on."""
        for name in self.workers:
            self.programs[name].kill()

    def start_workers(self, env: Mapping[str, str] | None = None) -> None:
        """Start every worker that does not run; ``env`` adds to their environment this time."""
        for name in self.workers:
            self.programs[name].start(env)

    def stop(self) -> None:
        """Stop every process; harmless to repeat."""
        for program in reversed(list(self.programs.values())):
            program.stop()

    def __enter__(self) -> "Portal":
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
