"""The Celery application. Tasks are found in every installed app's ``tasks`` module."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cycloud.settings.embedded")

app = Celery("cycloud")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
