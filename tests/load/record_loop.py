"""What recording costs: one change of an instance with the feed, without it, and a pass that changes nothing."""

import json
import time
from collections.abc import Callable

import django

django.setup()

from django.db import transaction  # noqa: E402

from compute.models import Instance  # noqa: E402
from cycloud.core.changes.record import record_changed  # noqa: E402
from cycloud.core.reconcile.queue import in_order  # noqa: E402
from tests.factories.compute import make_world  # noqa: E402

ROUNDS = 300


def write(instance: Instance, *, record: bool) -> None:
    with transaction.atomic(), in_order():
        instance.revision += 1
        instance.save(update_fields=["revision", "update_time"])
        if record:
            record_changed(kind=instance.kind, uid=instance.uid, project_id=instance.project_id)


def idle() -> None:
    with transaction.atomic(), in_order():
        Instance.objects.count()


def milliseconds(work: Callable[[], None], clock: Callable[[], float] = time.perf_counter) -> float:
    begun = clock()
    for _ in range(ROUNDS):
        work()
    return (clock() - begun) / ROUNDS * 1000


def main() -> None:
    instance = make_world().instance(volumes=2)
    for warm_up in (True, False):
        write(instance, record=warm_up)
    figures = {
        "without": milliseconds(lambda: write(instance, record=False)),
        "with": milliseconds(lambda: write(instance, record=True)),
        "nothing": milliseconds(idle),
        "cpu": milliseconds(lambda: write(instance, record=True), time.process_time),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
