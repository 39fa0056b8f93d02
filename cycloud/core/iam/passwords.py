"""Passwords, for signing in to the console and the admin: as Django checks them, but not to be guessed at."""

import logging
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from cycloud.core.iam.models import User
from cycloud.core.iam.rate_limits import Rate, take, wait_for

__all__ = ["PasswordBackend"]

logger = logging.getLogger(__name__)
# ten wrong ones at once, then ten a minute, for one name from one address
_WRONG_PASSWORDS: Final = Rate(10 / 60, 10)


class PasswordBackend(ModelBackend):
    """Refuses a name from an address that was wrong too often, before it looks at the password.

    It answers as to a wrong password. Other names from that address, which may be a proxy's, are not touched.
    """

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> User | None:
        address = request.META.get("REMOTE_ADDR", "") if request is not None else ""
        rate = _WRONG_PASSWORDS if settings.CYCLOUD_RATE_FAILURES_PER_SECOND > 0 else Rate(0, 0)
        bucket = f"password:{address}:{username}"
        if wait_for(bucket, rate):
            logger.warning("too many wrong passwords for one user name from %s", address)
            raise PermissionDenied
        user = super().authenticate(request, username=username, password=password, **kwargs)
        if user is None:
            take(bucket, rate)
        return user if isinstance(user, User) else None
