"""ML2 mechanism driver of the test bed: binds every port to its first segment.

There is no agent and no data plane. A port that names a host becomes bound
(vif_type "ovs") and ACTIVE at once; one whose host is taken away (nova detaches
or deletes the server) becomes DOWN, as with an agent. Names of hosts that start
with "nobind" are refused, so that a test can see vif_type "binding_failed".
"""

from typing import Any

from neutron_lib import constants
from neutron_lib.api.definitions import portbindings
from neutron_lib.plugins.ml2 import api


class BindEverything(api.MechanismDriver):
    """Binds at once, on any host but "nobind*"."""

    def initialize(self) -> None:
        self.vif_details = {
            portbindings.CAP_PORT_FILTER: True,
            portbindings.OVS_HYBRID_PLUG: False,
            "connectivity": "l2",
        }

    @property
    def connectivity(self) -> str:
        return portbindings.CONNECTIVITY_L2

    def bind_port(self, context: Any) -> None:
        if context.host.startswith("nobind"):
            return
        for segment in context.segments_to_bind:
            context.set_binding(
                segment[api.ID],
                portbindings.VIF_TYPE_OVS,
                dict(self.vif_details),
                status=constants.PORT_STATUS_ACTIVE,
            )
            return
