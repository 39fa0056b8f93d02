"""Which language a caller reads. Messages stay English (AIP-193); LocalizedMessage has the caller's."""

from contextvars import ContextVar

from django.utils.translation.trans_real import parse_accept_lang_header

__all__ = ["DEFAULT_LANGUAGE", "LANGUAGES", "current_language", "language_of"]

LANGUAGES = ("en", "ja")
DEFAULT_LANGUAGE = "en"

# set by the faces at each call, for answers that show an error that was stored (a failed operation)
current_language: ContextVar[str] = ContextVar("cycloud_language", default=DEFAULT_LANGUAGE)


def language_of(header: str) -> str:
    """Return the language of an Accept-Language header (RFC 9110), or of gRPC's ``accept-language``.

    English where the header is empty, malformed, or names no language that there is.
    """
    for tag, _ in parse_accept_lang_header(header):
        language = tag.partition("-")[0]
        if language in LANGUAGES:
            return language
    return DEFAULT_LANGUAGE
