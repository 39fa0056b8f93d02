"""The Celery application. Tasks are found in every installed app's ``tasks`` module."""

import os
from logging.config import dictConfig
from typing import Any

from celery import Celery
from celery.signals import setup_logging, task_prerun
from django.conf import settings
from django.db import close_old_connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cycloud.settings.embedded")

app = Celery("cycloud")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def _log_as_the_settings_say(**_: Any) -> None:
    """Keep Celery from setting up logging itself: its own ``--loglevel`` would win over CYCLOUD_LOG_LEVEL."""
    dictConfig(settings.LOGGING)


@task_prerun.connect
def _close_old_connections(**_: Any) -> None:
    """Do for a task what Django does for a request: a connection that is too old or broken is not used."""
    close_old_connections()
