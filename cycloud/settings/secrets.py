"""The embedded portal's own secrets: made at first start, kept in a file that only its user reads."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from cryptography.fernet import Fernet
from django.core.management.utils import get_random_secret_key


@dataclass(frozen=True)
class Secrets:
    """``field_keys`` encrypt stored credentials; the first one is used for writing."""

    secret_key: str
    field_keys: list[str]


def stored_secrets(path: Path) -> Secrets:
    """Return the secrets kept in ``path``, making them where the file does not exist yet."""
    if path.exists():
        return Secrets(**json.loads(path.read_text()))
    secrets = Secrets(get_random_secret_key(), [Fernet.generate_key().decode()])
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(asdict(secrets), file)
    return secrets
