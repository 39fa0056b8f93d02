"""What a call is refused with."""

from collections.abc import Callable

import pytest

from cycloud.openstack.faults import FaultKind, ProviderFault

UNKNOWN_ID = "9b0a7c46-0000-4000-8000-000000000000"


def refused(call: Callable[[], object]) -> ProviderFault:
    """Return the fault that the call raises; fails where it raises none."""
    with pytest.raises(ProviderFault) as caught:
        call()
    return caught.value


def kind_of(call: Callable[[], object]) -> FaultKind:
    """Return the kind of the fault that the call raises."""
    return refused(call).kind
