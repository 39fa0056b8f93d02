"""The embedded portal's settings, in a directory of the test's own, with nobody who works off the queue."""

from cycloud.settings.embedded import *  # noqa: F403

CELERY_BROKER_URL = "memory://"
CELERY_BROKER_TRANSPORT_OPTIONS = {}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
