"""Texts of providers for the eyes of users: no cluster, host, address or provider id remains in them."""

import html
import re
from collections.abc import Iterable
from typing import NamedTuple

from cycloud.openstack.translation import safe_text

LONGEST_PUBLIC_TEXT = 500

_UUID = r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"
_IPV4 = r"\d{1,3}(?:\.\d{1,3}){3}"
# in this order: what is longer first, so that no half of it remains
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<class '[^']*'>"), ""),
    (re.compile(r"<[^<>]*>"), " "),
    (re.compile(r"(?:/[\w.+-]+){2,}/?(?::\d+)?(?!\w)"), "(path)"),
    (re.compile(r"\(HTTP \d{3}\)|\(Request-ID: [^)]*\)", re.IGNORECASE), ""),
    (re.compile(r"\breq-[0-9a-f-]{8,}", re.IGNORECASE), "(request)"),
    (re.compile(r"\b[\w.-]+@[\w.-]+(?:#[\w.-]+)?"), "(storage)"),
    (re.compile(rf"\b(?:volume|snapshot|instance|image|port)-{_UUID}", re.IGNORECASE), "(object)"),
    (re.compile(rf"\b{_UUID}", re.IGNORECASE), "(object)"),
    (re.compile(rf"\b{_IPV4}:\d+\b"), "(address)"),
    (re.compile(r"\[[0-9a-f:]*::?[0-9a-f:]*\](?::\d+)?", re.IGNORECASE), "(address)"),
    # keep an address that stands alone: it is the user's own ("IP address 10.0.1.23 in use")
    (
        re.compile(
            r"\b(?:host|node|hypervisor|on)[ =]'?(?!\()[\w-]+(?:\.[\w-]+)+'?", re.IGNORECASE
        ),
        "(host)",
    ),
    (re.compile(r"\b(host|node|hypervisor)(?:name)?[ =:]+'[^']+'", re.IGNORECASE), r"\1 (host)"),
    (re.compile(r"\binstance-[0-9a-f]{8}\b"), "(object)"),
)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>)]+", re.IGNORECASE)


def public_text(text: str, secrets: Iterable[str]) -> str:
    """Return what of a provider's text a user may see, in one line of at most 500 characters.

    :param secrets: words to take out besides what is known by its form: names of the cluster, of its
        hosts, of the project. Whole words, in any case.
    """
    cleaned = _URL.sub("(address)", safe_text(html.unescape(text)))
    words = sorted({secret for secret in secrets if secret}, key=len, reverse=True)
    # names with "@" first: a cluster name inside "host@backend#pool" would leave the rest behind
    for pattern, replacement in _PATTERNS:
        cleaned = pattern.sub(replacement, cleaned)
    for word in words:
        cleaned = re.sub(
            rf"(?<![\w-]){re.escape(word)}(?![\w-])", "(cluster)", cleaned, flags=re.IGNORECASE
        )
    return " ".join(cleaned.split())[:LONGEST_PUBLIC_TEXT]


class ServerFault(NamedTuple):
    """A stable reason of the public contract, and a sentence for users."""

    reason: str
    sentence: str


_KNOWN_FAULTS: tuple[tuple[re.Pattern[str], ServerFault], ...] = (
    (
        re.compile(
            r"no valid host was found|insufficient compute resources|no hosts? available", re.I
        ),
        ServerFault(
            "InsufficientCapacity", "There is not enough capacity for this instance type now."
        ),
    ),
    (
        re.compile(r"quota|maximum number of|limit ?exceeded", re.IGNORECASE),
        ServerFault("QuotaExceeded", "The quota of the provider is used up."),
    ),
    (
        re.compile(
            r"image \S+ could not be found|can not find requested image|no image found", re.I
        ),
        ServerFault("InvalidConfiguration", "The image of the instance is not available."),
    ),
    (
        re.compile(r"volume \S+ could not be found|failed to get volume", re.IGNORECASE),
        ServerFault("VolumeAttachmentsAreNotReady", "A volume of the instance could not be found."),
    ),
    (
        re.compile(r"is not bootable", re.IGNORECASE),
        ServerFault("InvalidConfiguration", "The first volume of the instance is not bootable."),
    ),
    (
        re.compile(r"flavor \S+ could not be found", re.IGNORECASE),
        ServerFault(
            "InvalidConfiguration", "The instance type is not offered by the provider now."
        ),
    ),
    (
        re.compile(
            r"port id \S+ could not be found|binding failed|failed to allocate the network", re.I
        ),
        ServerFault(
            "NetworkInterfaceAttachmentFailed", "A network interface could not be connected."
        ),
    ),
    (
        re.compile(r"exceeded maximum number of retries|build of instance .* aborted", re.I),
        ServerFault("ProviderError", "The provider tried to start the instance and failed."),
    ),
)
_UNKNOWN_FAULT = ServerFault("ProviderError", "The provider could not carry out the request.")


def classify_server_fault(text: str) -> ServerFault:
    """Return the reason and the sentence of a Nova fault or an error answer to a server's create."""
    # "Exceeded maximum number of retries" would else count as quota
    if re.search(r"maximum number of retries", text, re.IGNORECASE):
        return _KNOWN_FAULTS[-1][1]
    for pattern, fault in _KNOWN_FAULTS:
        if pattern.search(text):
            return fault
    return _UNKNOWN_FAULT
