"""What every way of running Cycloud shares."""

from pathlib import Path
from typing import Any

from cycloud.env import Env
from cycloud.settings.access import *
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
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "cycloud.core.iam",
    "cycloud.core.aip",
    "cycloud.core.reconcile",
    "cycloud.core.changes",
    "cycloud.core.quotas",
    # behind cycloud.core.aip, whose grpcrunserver stands in for its own
    "django_grpc_framework",
    "cycloud.kubernetes",
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

# counts calls for the rate limits; one for each process, where no Redis is set
CYCLOUD_CACHE_ERRORS: list[str] = []
CACHES: dict[str, Any] = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}

LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = ["cycloud.formats"]
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

# -- the gRPC face (docs/grpc.md)
GRPC_FRAMEWORK: dict[str, Any] = {"ROOT_HANDLERS_HOOK": "cycloud.rpc.grpc_handlers"}
# calls at once in one process; watches have threads of their own, CYCLOUD_WATCH_LIMIT of them
CYCLOUD_GRPC_THREADS = env.int("CYCLOUD_GRPC_THREADS", 16)
# files in PEM; with a client CA a client must show a certificate
CYCLOUD_GRPC_TLS_CERTIFICATE = env.str("CYCLOUD_GRPC_TLS_CERTIFICATE", "")
CYCLOUD_GRPC_TLS_KEY = env.str("CYCLOUD_GRPC_TLS_KEY", "")
CYCLOUD_GRPC_TLS_CLIENT_CA = env.str("CYCLOUD_GRPC_TLS_CLIENT_CA", "")
CYCLOUD_GRPC_REFLECTION = env.bool("CYCLOUD_GRPC_REFLECTION", True)
# proxies whose x-forwarded-for is believed
CYCLOUD_GRPC_PROXIES = env.networks("CYCLOUD_GRPC_PROXIES", [])
# how long calls under way may take to end when the process is told to stop
CYCLOUD_GRPC_GRACE_SECONDS = env.float("CYCLOUD_GRPC_GRACE_SECONDS", 20.0)

# -- the schema of the REST face: /v1/openapi.json (docs/rest.md)
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Cycloud API",
    "DESCRIPTION": "The REST face of Cycloud's API, made from the same protos as the gRPC one. "
    "docs/rest.md tells what all methods have in common.",
    "VERSION": "v1",
    "OAS_VERSION": "3.1.0",
    "DEFAULT_GENERATOR_CLASS": "cycloud.core.aip.openapi.generator.ApiSchemaGenerator",
    "SERVERS": [{"url": "/"}],
}

# where docs/ is published: errors link to their reason there
CYCLOUD_DOCS_URL = env.str("CYCLOUD_DOCS_URL", "https://cycloud.jp/docs")

# -- tasks: Celery runs the reconcilers; the database decides what is due (docs/architecture.md)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "cycloud"
# keep Celery from closing the database's connection around every task: Django's CONN_MAX_AGE says when (celery.py)
CELERY_DB_REUSE_MAX = 1_000_000_000
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "cycloud.sweep", "schedule": env.float("CYCLOUD_SWEEP_SECONDS", 5.0)},
    "resync": {"task": "cycloud.resync", "schedule": 60.0},
    "expire": {"task": "cycloud.expire", "schedule": 600.0},
    "trim-changes": {"task": "cycloud.trim_changes", "schedule": 600.0},
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
# threads in each worker process that look at clusters for all passes together; 1: each pass looks by itself
CYCLOUD_LOOKS_AT_ONCE = env.int("CYCLOUD_LOOKS_AT_ONCE", 8)
# how often operations that callers wait for are looked at, and how many REST calls and gRPC threads of a process
# may wait at once
CYCLOUD_WAIT_POLL_SECONDS = env.float("CYCLOUD_WAIT_POLL_SECONDS", 0.25)
CYCLOUD_WAITS = env.int("CYCLOUD_WAITS", 1000)
CYCLOUD_WAITING_THREADS = env.int("CYCLOUD_WAITING_THREADS", 16)

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
        # and so is a wrong Host header: a traceback for each would fill the log
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "kombu": {"level": "WARNING"},
    },
}


# -- the controllers of the engine, and what its slow resync goes through
_COMPUTE = "compute.reconcilers"
CYCLOUD_CONTROLLERS = {
    "catalog": "catalog.reconcilers.catalog.CatalogController",
    "openstack_subnet": "networking.reconcilers.openstack_subnet.OpenStackSubnetController",
    "instance": f"{_COMPUTE}.instance.InstanceController",
    "volume": f"{_COMPUTE}.volume.VolumeController",
    "volume_binding": f"{_COMPUTE}.volume_binding.VolumeBindingController",
    "openstack_instance": f"{_COMPUTE}.openstack_instance.OpenStackInstanceController",
    "openstack_volume": f"{_COMPUTE}.openstack_volume.OpenStackVolumeController",
    "openstack_network_interface": f"{_COMPUTE}.openstack_network_interface.OpenStackNetworkInterfaceController",
    "cluster_resync": f"{_COMPUTE}.cluster_resync.ClusterResyncController",
    "kubernetes": "cycloud.kubernetes.controller.KubernetesController",
}
CYCLOUD_RESYNC_SOURCES = ["compute.reconcilers.cluster_resync.request_all"]

# -- Kubernetes: every resource as a custom resource too (docs/kubernetes.md); off unless one of the first two is set
CYCLOUD_KUBERNETES_KUBECONFIG = env.str("CYCLOUD_KUBERNETES_KUBECONFIG", "")
CYCLOUD_KUBERNETES_IN_CLUSTER = env.bool("CYCLOUD_KUBERNETES_IN_CLUSTER", False)
CYCLOUD_KUBERNETES_CONTEXT = env.str("CYCLOUD_KUBERNETES_CONTEXT", "")
CYCLOUD_KUBERNETES_ENABLED = bool(CYCLOUD_KUBERNETES_KUBECONFIG) or CYCLOUD_KUBERNETES_IN_CLUSTER
CYCLOUD_KUBERNETES_CALLS_PER_SECOND = env.float("CYCLOUD_KUBERNETES_CALLS_PER_SECOND", 100.0)
CYCLOUD_KUBERNETES_TIMEOUT_SECONDS = env.float("CYCLOUD_KUBERNETES_TIMEOUT_SECONDS", 15.0)
# where our own Lease, service account and webhook's Service are, and how namespaces of projects are called
CYCLOUD_KUBERNETES_NAMESPACE = env.str("CYCLOUD_KUBERNETES_NAMESPACE", "cycloud-system")
CYCLOUD_KUBERNETES_NAMESPACE_PREFIX = env.str("CYCLOUD_KUBERNETES_NAMESPACE_PREFIX", "cycloud-")
# all objects are compared with our rows this often, with jitter, in case a watch missed something
CYCLOUD_KUBERNETES_RELIST_SECONDS = env.float("CYCLOUD_KUBERNETES_RELIST_SECONDS", 600.0)
# where the API server reaches the portal's webhooks (https://host:port), and the authorities that certify it (PEM)
CYCLOUD_KUBERNETES_WEBHOOK_URL = env.str("CYCLOUD_KUBERNETES_WEBHOOK_URL", "")
CYCLOUD_KUBERNETES_WEBHOOK_CA = env.str("CYCLOUD_KUBERNETES_WEBHOOK_CA", "")
# the listener of the webhooks itself: files in PEM; with a client CA only the API server's admission is answered
CYCLOUD_KUBERNETES_WEBHOOK_HOST = env.str("CYCLOUD_KUBERNETES_WEBHOOK_HOST", "127.0.0.1")
CYCLOUD_KUBERNETES_WEBHOOK_PORT = env.int("CYCLOUD_KUBERNETES_WEBHOOK_PORT", 9443)
CYCLOUD_KUBERNETES_WEBHOOK_CERTIFICATE = env.str("CYCLOUD_KUBERNETES_WEBHOOK_CERTIFICATE", "")
CYCLOUD_KUBERNETES_WEBHOOK_KEY = env.str("CYCLOUD_KUBERNETES_WEBHOOK_KEY", "")
CYCLOUD_KUBERNETES_WEBHOOK_CLIENT_CA = env.str("CYCLOUD_KUBERNETES_WEBHOOK_CLIENT_CA", "")
CYCLOUD_KUBERNETES_KINDS = [
    "catalog.kubernetes.kinds.KINDS",
    "networking.kubernetes.kinds.KINDS",
    "compute.kubernetes.kinds.KINDS",
]
CYCLOUD_KUBERNETES_DEFINITIONS = [
    "catalog.kubernetes.definitions.DEFINITIONS",
    "networking.kubernetes.definitions.DEFINITIONS",
    "compute.kubernetes.definitions.DEFINITIONS",
]
CYCLOUD_QUEUE_GATES = {"kubernetes": "cycloud.kubernetes.gate.pause"}
CYCLOUD_MIRRORS = ["cycloud.kubernetes.marks.mark_changed"] if CYCLOUD_KUBERNETES_ENABLED else []

# -- the change feed and watches (docs/watch.md)
CYCLOUD_WATCHED = ["compute.api.urls.COLLECTIONS", "networking.api.urls.COLLECTIONS"]
CYCLOUD_CHANGES_KEEP_HOURS = env.float("CYCLOUD_CHANGES_KEEP_HOURS", 24.0)
# how soon a process sees what another one committed; its own changes it sees at once
CYCLOUD_WATCH_POLL_SECONDS = env.float("CYCLOUD_WATCH_POLL_SECONDS", 0.2)
CYCLOUD_WATCH_BOOKMARK_SECONDS = env.float("CYCLOUD_WATCH_BOOKMARK_SECONDS", 15.0)
# the rights of a watch are looked at again this often
CYCLOUD_WATCH_RECHECK_SECONDS = env.float("CYCLOUD_WATCH_RECHECK_SECONDS", 25.0)
# how far a reader may fall behind before it is cut, and how many watches one process serves
CYCLOUD_WATCH_QUEUE = env.int("CYCLOUD_WATCH_QUEUE", 1000)
CYCLOUD_WATCH_LIMIT = env.int("CYCLOUD_WATCH_LIMIT", 2000)

# -- metrics (docs/operations.md): who may scrape the portal without a token, a worker's own port (0: none)
CYCLOUD_METRICS_ALLOW = env.networks("CYCLOUD_METRICS_ALLOW", [])
CYCLOUD_METRICS_HOST = env.str("CYCLOUD_METRICS_HOST", "127.0.0.1")
CYCLOUD_METRICS_PORT = env.int("CYCLOUD_METRICS_PORT", 0)
CYCLOUD_METRICS_SOURCES = [
    "cycloud.core.metrics.database.queue_metrics",
    "cycloud.core.metrics.database.resource_metrics",
    "catalog.selectors.cluster_metrics.cluster_metrics",
]

# -- quotas (docs/quotas.md): who counts, the limits of a project for which operators set none, the warning
CYCLOUD_QUOTA_COUNTERS = [
    "compute.selectors.quota_usage.INSTANCES",
    "compute.selectors.quota_usage.VOLUMES",
    "networking.selectors.quota_usage.ADDRESSES",
]
CYCLOUD_DEFAULT_QUOTAS = {
    "instances": env.int("CYCLOUD_QUOTA_INSTANCES", 200_000),
    "vcpus": env.int("CYCLOUD_QUOTA_VCPUS", 2_000_000),
    "memory": env.int("CYCLOUD_QUOTA_MEMORY_MIB", 1024**3),
    "volumes": env.int("CYCLOUD_QUOTA_VOLUMES", 400_000),
    "storage": env.int("CYCLOUD_QUOTA_STORAGE_GIB", 100 * 1024**2),
    "addresses": env.int("CYCLOUD_QUOTA_ADDRESSES", 200_000),
}
CYCLOUD_QUOTA_WARNING_PERCENT = env.int("CYCLOUD_QUOTA_WARNING_PERCENT", 80)
