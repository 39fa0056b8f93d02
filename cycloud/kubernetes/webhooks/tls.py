"""TLS of the webhooks' listener: certificates that are renewed in their files are used without a restart."""

import logging
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from django.core.exceptions import ImproperlyConfigured

__all__ = ["FollowingContext", "TlsFiles", "UnusableFiles"]

logger = logging.getLogger(__name__)


class UnusableFiles(ImproperlyConfigured):
    """A file for TLS cannot be read or used; the text names it and holds nothing of its content."""


@dataclass(frozen=True)
class TlsFiles:
    """Files in PEM.

    ``client_ca``: certificates that clients show are verified with it. A client need not show one: which requests need
    it, the application says (the API server has one for admission, and none for conversion).
    """

    certificate: Path
    key: Path
    client_ca: Path | None = None

    def context(self) -> ssl.SSLContext:
        """Return a context with what the files hold now. Raises UnusableFiles."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(self.certificate, self.key, password=_no_password)
            if self.client_ca is not None:
                context.load_verify_locations(self.client_ca)
                context.verify_mode = ssl.CERT_OPTIONAL
        except (OSError, ValueError) as error:
            why = getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)
            files = ", ".join(str(file) for file in self._all())
            raise UnusableFiles(
                f"The webhooks cannot use {files} for TLS ({why}). They must be there, readable and in PEM; the key "
                "must be the certificate's and have no password."
            ) from error
        return context

    def stamps(self) -> tuple[tuple[int, int, int], ...] | None:
        """Return what changes with the files; None while one is missing, as in the middle of a renewal."""
        try:
            found = [file.stat() for file in self._all()]
        except OSError:
            return None
        return tuple((stat.st_mtime_ns, stat.st_size, stat.st_ino) for stat in found)

    def _all(self) -> list[Path]:
        return [file for file in (self.certificate, self.key, self.client_ca) if file is not None]


def _no_password() -> str:
    # without this, OpenSSL would ask for it at the terminal
    raise ValueError("the key has a password")


class FollowingContext(ssl.SSLContext):
    """Makes each new connection with what the files hold then.

    While they cannot be used, because a renewal is half done, those of before go on; that is logged once.
    """

    _files: TlsFiles
    _current: ssl.SSLContext
    _seen: object

    def __new__(cls, files: TlsFiles) -> Self:
        """Raises UnusableFiles."""
        self = super().__new__(cls, ssl.PROTOCOL_TLS_SERVER)
        self._files = files
        self._seen = files.stamps()
        self._current = files.context()
        return self

    def __init__(self, files: TlsFiles) -> None:
        super().__init__()

    def wrap_bio(self, *args: Any, **kwargs: Any) -> ssl.SSLObject:
        """What the event loop calls for each connection."""
        return self._up_to_date().wrap_bio(*args, **kwargs)

    def _up_to_date(self) -> ssl.SSLContext:
        stamps = self._files.stamps()
        if stamps is not None and stamps != self._seen:
            self._seen = stamps
            try:
                self._current = self._files.context()
                logger.info("the webhooks use the renewed certificate %s", self._files.certificate)
            except UnusableFiles as error:
                logger.error("the webhooks go on with the earlier certificate: %s", error)
        return self._current
