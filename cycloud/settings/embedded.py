"""One process on a laptop, nothing else installed: SQLite, in-process worker, simulated clouds."""

from pathlib import Path

from cycloud.settings.base import *
from cycloud.settings.base import BASE_DIR, INSTALLED_APPS, env
from cycloud.settings.secrets import stored_secrets

DATA_DIR = Path(env.str("CYCLOUD_DATA_DIR", str(BASE_DIR / "var")))
DATA_DIR.mkdir(parents=True, exist_ok=True)
_secrets = stored_secrets(DATA_DIR / "secrets.json")

DEBUG = env.bool("CYCLOUD_DEBUG", False)
SECRET_KEY = _secrets.secret_key
CYCLOUD_FIELD_KEYS = _secrets.field_keys
ALLOWED_HOSTS = env.list("CYCLOUD_ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "cycloud.sqlite3",
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }
}

INSTALLED_APPS = [*INSTALLED_APPS, "cycloud.embedded"]

_broker = DATA_DIR / "broker"
for _folder in ("queue", "control"):
    (_broker / _folder).mkdir(parents=True, exist_ok=True)
CELERY_BROKER_URL = "filesystem://localhost"
# kombu's own lets a reader see a half-written message
CELERY_BROKER_TRANSPORT = "cycloud.embedded.transport:Transport"
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "data_folder_in": str(_broker / "queue"),
    "data_folder_out": str(_broker / "queue"),
    "control_folder": str(_broker / "control"),
    "polling_interval": 0.1,
}
CYCLOUD_QUEUE_PER_CLUSTER = False
CYCLOUD_EMBEDDED = True

# static files are served from where they lie
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
