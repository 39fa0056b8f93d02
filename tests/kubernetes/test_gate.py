"""While the API server is down its rows stay due, and no pass is run on them."""

from cycloud.core.reconcile.engine import drain
from cycloud.core.reconcile.models import DueRow
from cycloud.kubernetes.client import client
from cycloud.kubernetes.marks import QUEUE, mark
from cycloud.kubernetes.models import NamespaceBinding
from tests.support.kubernetes.server import ApiServer
from tests.support.kubernetes.widgets import WIDGET, Widgets

MANY = 12


def test_rows_wait_untouched_while_the_circuit_is_open_and_are_worked_off_when_it_closes(
    api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    for number in range(MANY):
        name = f"projects/p/widgets/w{number}"
        widgets.add(name)
        mark("Widget", name)
    api.faults.down = True

    drain(QUEUE)

    # five failures open the circuit; the others were not begun
    tried = DueRow.objects.exclude(last_outcome="")
    assert client().pause() > 0
    assert tried.count() == 5
    assert drain(QUEUE) == 0

    api.faults.down = False
    api.renew_client()
    drain(QUEUE)

    assert len(api.store.listing(WIDGET.group, "widgets", "")[0]) >= MANY - 5
