"""The one place that every call to a cluster goes through.

Requests are made on openstacksdk's session with its catalog, not through its resource proxies:
those add requests of their own (discovery, look-ups) and hide some errors, while here one call is one
request, which is counted, limited and watched by the hooks.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import requests
from keystoneauth1 import exceptions as ksa
from keystoneauth1.session import Session
from openstack import exceptions as sdk

from cycloud.openstack.counters import CallKey, count_call
from cycloud.openstack.faults import FaultKind, ProviderFault
from cycloud.openstack.hooks import current_hooks
from cycloud.openstack.limits import ClusterLimits
from cycloud.openstack.translation import fault_from_exception, fault_from_response

NOVA: Final = "nova"
CINDER: Final = "cinder"
NEUTRON: Final = "neutron"
GLANCE: Final = "glance"

PAGE_SIZE: Final = 200

Json = Mapping[str, Any]
_T = TypeVar("_T")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServiceAddress:
    """``path`` is what an endpoint of the catalog must contain; it is added where it is missing."""

    types: tuple[str, ...]
    path: str
    version_header: str = ""


_SERVICES: Final[Mapping[str, ServiceAddress]] = {
    NOVA: ServiceAddress(("compute",), "/v2.1", "compute"),
    CINDER: ServiceAddress(("block-storage", "volumev3", "volume"), "/v3", "volume"),
    NEUTRON: ServiceAddress(("network",), "/v2.0"),
    GLANCE: ServiceAddress(("image",), "/v2"),
}


@dataclass
class ClusterConnection:
    """A session with one cluster. Thread-safe; nothing is retried, that is the engine's part."""

    key: str
    session: Session
    limits: ClusterLimits
    interface: str = "public"
    region_name: str | None = None
    microversions: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    _endpoints: dict[str, str] = field(init=False, default_factory=dict, repr=False)

    def request(
        self,
        service: str,
        verb: str,
        method: str,
        path: str,
        *,
        body: Json | None = None,
        params: Mapping[str, str] | None = None,
        expect: str = "",
    ) -> Json:
        """Send one request and return the answer's JSON object ({} without a body).

        :param expect: the key that the object must have.
        :raises ProviderFault: for every answer but 2xx, for none, and for one that is not of the API.
        """

        def send() -> requests.Response:
            headers = {"Accept": "application/json"}
            version = self.microversions.get(service)
            if version:
                headers["OpenStack-API-Version"] = f"{_SERVICES[service].version_header} {version}"
            return self.session.request(
                self._endpoint(service) + path,
                method,
                json=body,
                params=params,
                headers=headers,
                raise_exc=False,
                redirect=False,
                connect_retries=0,
                status_code_retries=0,
            )

        document = self._call(service, verb, method not in ("GET", "HEAD"), send)
        if expect and expect not in document:
            # a page of a proxy, say: taken for an empty listing it would mean that nothing is there
            raise ProviderFault(
                FaultKind.SERVER_ERROR, f"the answer has no {expect!r}", service=service
            )
        return document

    def get_or_none(self, service: str, verb: str, path: str, *, expect: str) -> Json | None:
        """GET one object; None where the service says that there is none."""
        try:
            return self.request(service, verb, "GET", path, expect=expect)
        except ProviderFault as fault:
            if fault.kind is FaultKind.NOT_FOUND:
                return None
            raise

    def delete(self, service: str, verb: str, path: str) -> bool:
        """DELETE one object; False where the service says that there is none."""
        try:
            self.request(service, verb, "DELETE", path)
        except ProviderFault as fault:
            if fault.kind is FaultKind.NOT_FOUND:
                return False
            raise
        return True

    def pages(
        self, service: str, verb: str, path: str, key: str, params: Mapping[str, str]
    ) -> Iterator[Json]:
        """Yield the objects of a listing; each page is one call, made when it is needed."""
        query = {"limit": str(PAGE_SIZE), **params}
        while True:
            answer = self.request(service, verb, "GET", path, params=query, expect=key)
            found = answer[key]
            yield from found
            # a service may cap the page below our limit: only its own link tells of an end
            links = answer.get(f"{key}_links", [])
            if not found or not any(link.get("rel") == "next" for link in links):
                return
            query = {**query, "marker": found[-1]["id"]}

    @property
    def project_id(self) -> str:
        """The id of the credentials' project (asks Keystone where there is no token yet)."""
        project_id = self._guarded("keystone", lambda: self.session.get_project_id())
        if not project_id:
            raise ProviderFault(
                FaultKind.INVALID, "the credentials are not scoped to a project", service="keystone"
            )
        return str(project_id)

    def _call(
        self, service: str, verb: str, write: bool, send: Callable[[], requests.Response]
    ) -> Json:
        hooks = current_hooks()
        self.limits.enter(service)
        breaker = self.limits.breaker(service)
        try:
            # after the wait for the rate limit, so that a lease that ran out meanwhile is seen
            hooks.before(service, verb, write)
        except BaseException:
            # whatever ends the call here, the breaker's place for a trial call must be given back
            breaker.abandoned()
            raise
        begin = time.monotonic()
        try:
            response = self._guarded(service, send)
        except ProviderFault as fault:
            logger.debug("%s %s: no answer after %.3f s", service, verb, time.monotonic() - begin)
            count_call(CallKey(self.key, service, verb, str(fault.status or fault.kind.value)))
            if fault.kind in (FaultKind.UNREACHABLE, FaultKind.SERVER_ERROR):
                breaker.failed()
            else:
                breaker.answered()
            raise
        except BaseException:
            # a worker that is being ended says nothing about the cluster
            breaker.abandoned()
            raise
        # names only: neither the address nor the body may get into a log
        seconds = time.monotonic() - begin
        logger.debug("%s %s: %s in %.3f s", service, verb, response.status_code, seconds)
        count_call(CallKey(self.key, service, verb, str(response.status_code)))
        fault_seen = fault_from_response(service, response, self.secrets)
        if fault_seen is not None and fault_seen.kind is FaultKind.SERVER_ERROR:
            breaker.failed()
        else:
            breaker.answered()
        hooks.after(service, verb, write)
        if fault_seen is not None:
            raise fault_seen
        return self._document(service, response)

    def _guarded(self, service: str, make: Callable[[], _T]) -> _T:
        try:
            return make()
        except (
            ksa.ClientException,
            sdk.SDKException,
            requests.RequestException,
            OSError,
        ) as error:
            # from None: the original may hold the request, and with it the token
            raise fault_from_exception(service, error, self.secrets) from None

    def _document(self, service: str, response: requests.Response) -> Json:
        if not response.content:
            return {}
        document = self._guarded(service, response.json)
        return document if isinstance(document, dict) else {}

    def _endpoint(self, service: str) -> str:
        known = self._endpoints.get(service)
        if known:
            return known
        address = _SERVICES[service]
        for service_type in address.types:
            url = self.session.get_endpoint(
                service_type=service_type,
                interface=self.interface,
                region_name=self.region_name,
                skip_discovery=True,
            )
            if url:
                endpoint = url.rstrip("/")
                if f"{address.path}/" not in f"{endpoint}/":
                    endpoint += address.path
                self._endpoints[service] = endpoint
                return endpoint
        raise ProviderFault(
            FaultKind.INVALID,
            f"the catalog of the identity service has no endpoint for {address.types[0]}",
            service=service,
        )
