"""Start, stop, restart. A run begins with create, start or restart, and takes the declared type then.

| verb    | desired_state | what it does                                                   |
|---------|---------------|----------------------------------------------------------------|
| start   | STOPPED       | a new run with the declared type, if nothing blocks its move    |
| start   | RUNNING       | nothing                                                        |
| stop    | RUNNING       | desired_state STOPPED                                          |
| stop    | STOPPED       | nothing                                                        |
| restart | RUNNING       | a new run, as start                                            |
| restart | STOPPED       | refused                                                        |
"""

from compute.models import DesiredState, Instance
from compute.services.instance_changes import (
    change_instance,
    refuse_deleting,
    save_spec,
    wake_instance,
)
from compute.services.preflight import check_placement
from cycloud.core.aip.errors import FailedPrecondition
from cycloud.core.aip.models import Operation
from cycloud.core.aip.operations import cancel_earlier, end_cancelled, start_operation
from cycloud.core.aip.writes import WriteOptions, Written
from cycloud.core.iam.actor import Actor

__all__ = [
    "begin_run",
    "cancel_start",
    "restart_instance",
    "start_instance",
    "stop_instance",
]

_DEFAULT = WriteOptions()


def start_instance(
    *, actor: Actor, project_id: str, instance_id: str, options: WriteOptions = _DEFAULT
) -> Written[Instance]:
    """Let a stopped instance run, with the type declared by now; this is what makes a move happen.

    Raises FailedPrecondition naming the volume or the type if the move that it needs is blocked.
    """

    def change(instance: Instance) -> Operation:
        refuse_deleting(instance)
        if instance.desired_state == DesiredState.RUNNING:
            return _unchanged(instance, "start")
        return _new_run(instance, "start")

    return change_instance(
        change,
        method="StartInstance",
        permission="compute.instances.start",
        actor=actor,
        project_id=project_id,
        instance_id=instance_id,
        body={},
        options=options,
    )


def stop_instance(
    *, actor: Actor, project_id: str, instance_id: str, options: WriteOptions = _DEFAULT
) -> Written[Instance]:
    """Shut the instance down; it keeps its volumes and addresses."""

    def change(instance: Instance) -> Operation:
        refuse_deleting(instance)
        if instance.desired_state == DesiredState.STOPPED:
            return _unchanged(instance, "stop")
        instance.desired_state = DesiredState.STOPPED
        cancel_earlier(instance.uid, f"A later stop of {instance.name} replaced this.")
        save_spec(instance, "desired_state")
        return start_operation(instance, "stop")

    return change_instance(
        change,
        method="StopInstance",
        permission="compute.instances.stop",
        actor=actor,
        project_id=project_id,
        instance_id=instance_id,
        body={},
        options=options,
    )


def restart_instance(
    *, actor: Actor, project_id: str, instance_id: str, options: WriteOptions = _DEFAULT
) -> Written[Instance]:
    """Stop and start an instance that is to run, in one request.

    It changes nothing that is declared, so it is open to all, wherever the instance is declared. Raises
    FailedPrecondition for one that is to be stopped, or if the move that it needs is blocked: then it keeps running
    as it is.
    """

    def change(instance: Instance) -> Operation:
        refuse_deleting(instance)
        if instance.desired_state != DesiredState.RUNNING:
            raise FailedPrecondition(
                f"{instance.name} is stopped, so it cannot be restarted. Start it.",
                reason="INSTANCE_STOPPED",
                metadata={"instance": instance.name},
            )
        return _new_run(instance, "restart")

    return change_instance(
        change,
        method="RestartInstance",
        permission="compute.instances.restart",
        actor=actor,
        project_id=project_id,
        instance_id=instance_id,
        body={},
        options=options,
        declares=False,
    )


def cancel_start(*, actor: Actor, operation: Operation, options: WriteOptions = _DEFAULT) -> None:
    """Turn a start that goes on back: the operation ends as cancelled, and the instance is stopped again.

    Whatever the start has done by then stays safe: this is a stop, which is allowed at any point of a start
    or a move. Does nothing to an operation that has ended meanwhile.
    """
    _, project_id, _, instance_id = operation.target_name.split("/")

    def change(instance: Instance) -> Operation:
        refuse_deleting(instance)
        if not end_cancelled(operation, f"The start of {instance.name} was cancelled."):
            return operation
        instance.desired_state = DesiredState.STOPPED
        save_spec(instance, "desired_state")
        return start_operation(instance, "stop")

    change_instance(
        change,
        method="CancelOperation",
        permission="compute.instances.stop",
        actor=actor,
        project_id=project_id,
        instance_id=instance_id,
        body={"operation": str(operation.uid)},
        options=options,
    )


def begin_run(instance: Instance) -> list[str]:
    """Take the declared type for a new run, unsaved; return the fields that changed.

    Raises FailedPrecondition if the move that it needs is blocked.
    """
    check_placement(instance)
    instance.desired_state = DesiredState.RUNNING
    instance.run_instance_type = instance.instance_type
    instance.run += 1
    return ["desired_state", "run_instance_type", "run"]


def _new_run(instance: Instance, verb: str) -> Operation:
    fields = begin_run(instance)
    cancel_earlier(instance.uid, f"A later {verb} of {instance.name} replaced this.")
    save_spec(instance, *fields)
    return start_operation(instance, verb)


def _unchanged(instance: Instance, verb: str) -> Operation:
    """An operation for what is wanted already: done, unless the controllers are still at it.

    After a failure that waits for a person, asking again makes the controllers look again.
    """
    if not instance.is_ready:
        wake_instance(instance)
    return start_operation(instance, verb, done=not instance.reconciling)
