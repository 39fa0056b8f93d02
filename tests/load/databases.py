"""The two databases that Cycloud runs on, each as an environment for a process of ours."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cryptography.fernet import Fernet

from tests.e2e.harness.portal import REPOSITORY
from tests.e2e.harness.services import postgres_server

SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"


@contextmanager
def environment(kind: str, folder: Path) -> Iterator[dict[str, str]]:
    """Give the variables that settle Django on a new database of that kind, as in a real portal."""
    prefixes = ("CYCLOUD_", "DJANGO_", "CELERY_", "OS_", "DATABASE_URL")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}
    if kind == SQLITE:
        own = {
            "DJANGO_SETTINGS_MODULE": "cycloud.settings.embedded",
            "CYCLOUD_DATA_DIR": str(folder / "sqlite"),
        }
        yield {**inherited, **own}
        return
    with postgres_server(folder / "postgresql") as url:
        own = {
            "DJANGO_SETTINGS_MODULE": "cycloud.settings.production",
            "DATABASE_URL": url,
            # nobody listens: what is due is in the database
            "CELERY_BROKER_URL": "memory://localhost/",
            "CYCLOUD_SECRET_KEY": secrets.token_urlsafe(48),
            "CYCLOUD_FIELD_KEYS": Fernet.generate_key().decode(),
            "CYCLOUD_ALLOWED_HOSTS": "127.0.0.1",
        }
        yield {**inherited, **own}


def run_module(module: str, arguments: list[str], env: Mapping[str, str]) -> str:
    """Migrate the database, run ``python -m module`` on it and return the last line it printed.

    Raises CalledProcessError; what the process writes to stderr goes to ours.
    """
    manage = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity=0"]
    subprocess.run(manage, cwd=REPOSITORY, env=env, check=True)
    result = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=REPOSITORY,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return result.stdout.splitlines()[-1]
