"""What every way of running Cycloud shares."""

from pathlib import Path
from typing import Any

from cycloud.env import Env
from cycloud.settings.unfold import UNFOLD as UNFOLD

env = Env()
BASE_DIR = Path(__file__).resolve().parent.parent.parent

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "channels",
    "django_htmx",
    "cycloud.core.iam",
    "cycloud.core.aip",
    "cycloud.core.reconcile",
    "cycloud.core.changes",
    "cycloud.console",
    "catalog",
    "networking",
    "compute",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "cycloud.urls"
ASGI_APPLICATION = "cycloud.asgi.application"
AUTH_USER_MODEL = "iam.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "console:sign-in"
LOGIN_REDIRECT_URL = "console:home"
LOGOUT_REDIRECT_URL = "console:sign-in"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = BASE_DIR / "var" / "static"

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "UNAUTHENTICATED_USER": None,
}

# -- tasks: Celery runs the reconcilers; the database decides what is due (docs/architecture.md)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "cycloud"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "cycloud.sweep", "schedule": env.float("CYCLOUD_SWEEP_SECONDS", 5.0)},
    "resync": {"task": "cycloud.resync", "schedule": 60.0},
}

# -- the engine
CYCLOUD_LEASE_SECONDS = env.int("CYCLOUD_LEASE_SECONDS", 120)
# one queue per cluster (its controller_name); off where one worker does everything
CYCLOUD_QUEUE_PER_CLUSTER = True
CYCLOUD_CLUSTER_CALLS_PER_SECOND = env.float("CYCLOUD_CLUSTER_CALLS_PER_SECOND", 50.0)
CYCLOUD_PROVIDER_TIMEOUT_SECONDS = env.float("CYCLOUD_PROVIDER_TIMEOUT_SECONDS", 30.0)
# how soon a state that OpenStack is still changing is looked at again, in seconds
CYCLOUD_RESYNC_SECONDS = env.float("CYCLOUD_RESYNC_SECONDS", 300.0)
CYCLOUD_POLL_SECONDS = env.float("CYCLOUD_POLL_SECONDS", 0.5)

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname:<7} {name}: {message}", "style": "{"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("CYCLOUD_LOG_LEVEL", "INFO")},
    "loggers": {
        # the SDK and keystoneauth log requests, and with them tokens, at DEBUG
        "keystoneauth": {"level": "WARNING"},
        "openstack": {"level": "WARNING"},
        "urllib3": {"level": "WARNING"},
        "uvicorn.access": {"level": "WARNING"},
        "celery": {"level": "WARNING"},
        # a 404 is the caller's business
        "django.request": {"level": "ERROR"},
        "kombu": {"level": "WARNING"},
    },
}


# -- the controllers of the engine, and what its slow resync goes through
CYCLOUD_CONTROLLERS = [
    "catalog.reconcilers.catalog.CatalogController",
    "networking.reconcilers.openstack_subnet.OpenStackSubnetController",
    "compute.reconcilers.instance.InstanceController",
    "compute.reconcilers.volume.VolumeController",
    "compute.reconcilers.volume_binding.VolumeBindingController",
    "compute.reconcilers.openstack_instance.OpenStackInstanceController",
    "compute.reconcilers.openstack_volume.OpenStackVolumeController",
    "compute.reconcilers.openstack_network_interface.OpenStackNetworkInterfaceController",
    "compute.reconcilers.cluster_resync.ClusterResyncController",
]
CYCLOUD_RESYNC_SOURCES = ["compute.reconcilers.cluster_resync.request_all"]
