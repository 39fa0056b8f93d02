"""The fast suites: SQLite or the PostgreSQL that CYCLOUD_TEST_DATABASE_URL names, no broker."""

import dj_database_url

from cycloud.settings.base import *
from cycloud.settings.base import env

DEBUG = False
SECRET_KEY = "test-only"  # noqa: S105
CYCLOUD_FIELD_KEYS = ["cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="]
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
_url = env.str("CYCLOUD_TEST_DATABASE_URL", "")
DATABASES = {
    "default": dj_database_url.parse(_url)
    if _url
    else {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": ":memory:",
        # a file, so that threads can share it: in-memory databases lock whole tables
        "TEST": {"NAME": env.str("CYCLOUD_TEST_SQLITE", "") or None},
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;",
        },
    }
}
CELERY_BROKER_URL = "memory://"
CELERY_TASK_ALWAYS_EAGER = False
CYCLOUD_QUEUE_PER_CLUSTER = True
CYCLOUD_EMBEDDED = False
# the order of calls is the same each time, which the crash matrix needs
CYCLOUD_LOOKS_AT_ONCE = 1
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# suites call as fast as they can; the tests of the limits set their own
CYCLOUD_RATE_PER_SECOND = CYCLOUD_RATE_FAILURES_PER_SECOND = 0.0
