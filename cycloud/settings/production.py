"""PostgreSQL, a real broker, and as many processes as wanted. Every setting from the environment."""

import dj_database_url

from cycloud.settings.base import *
from cycloud.settings.base import env

DEBUG = False
SECRET_KEY = env.str("CYCLOUD_SECRET_KEY")
CYCLOUD_FIELD_KEYS = env.list("CYCLOUD_FIELD_KEYS")
ALLOWED_HOSTS = env.list("CYCLOUD_ALLOWED_HOSTS")
CSRF_TRUSTED_ORIGINS = env.list("CYCLOUD_CSRF_TRUSTED_ORIGINS", [])
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.bool("CYCLOUD_SECURE_COOKIES", True)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

DATABASES = {
    "default": dj_database_url.parse(
        env.str("DATABASE_URL"), conn_max_age=60, conn_health_checks=True
    )
}

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL")

_redis = env.str("CYCLOUD_REDIS_URL", "")
if _redis:
    CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": _redis}
    }
    CYCLOUD_CACHE_ERRORS = ["redis.exceptions.RedisError"]

CYCLOUD_EMBEDDED = False
