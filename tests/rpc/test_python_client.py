"""A Python client of the generated code, as a user would write one, against a whole portal."""

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.longrunning import operations_pb2, operations_pb2_grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from cycloud.compute.v1 import volume_pb2, volume_pb2_grpc
from tests.embedded.portal import EmbeddedPortal

PARENT = "projects/demo"
NAME = f"{PARENT}/volumes/snake"


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPortal]:
    with EmbeddedPortal(tmp_path_factory.mktemp("python") / "var") as portal:
        yield portal


@pytest.fixture
def channel(portal: EmbeddedPortal) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(f"127.0.0.1:{portal.grpc_port}") as channel:
        yield channel


def wait(
    operations: operations_pb2_grpc.OperationsStub,
    operation: operations_pb2.Operation,
    metadata: tuple[tuple[str, str], ...],
) -> volume_pb2.Volume:
    while not operation.done:
        request = operations_pb2.WaitOperationRequest(
            name=operation.name, timeout=Duration(seconds=10)
        )
        operation = operations.WaitOperation(request, metadata=metadata)
    assert not operation.HasField("error"), operation.error
    volume = volume_pb2.Volume()
    assert operation.response.Unpack(volume)
    return volume


def test_it_creates_waits_lists_watches_and_is_refused_with_details(
    portal: EmbeddedPortal, channel: grpc.Channel
) -> None:
    metadata = (("authorization", f"Bearer {portal.token}"),)
    volumes = volume_pb2_grpc.VolumeServiceStub(channel)
    operations = operations_pb2_grpc.OperationsStub(channel)
    wanted = volume_pb2.Volume(volume_type="cgp1-short", availability_zone="apne1a", size="5Gi")
    create = volume_pb2.CreateVolumeRequest(parent=PARENT, volume_id="snake", volume=wanted)
    made = wait(operations, volumes.CreateVolume(create, metadata=metadata), metadata)
    assert (made.name, made.state) == (NAME, volume_pb2.Volume.State.AVAILABLE)

    listed = volumes.ListVolumes(volume_pb2.ListVolumesRequest(parent=PARENT), metadata=metadata)
    assert [volume.name for volume in listed.volumes] == [NAME]

    watch = volume_pb2.WatchVolumesRequest(parent=PARENT, resource_version=listed.resource_version)
    events = volumes.WatchVolumes(watch, metadata=metadata, timeout=30)
    change = volume_pb2.UpdateVolumeRequest(
        volume=volume_pb2.Volume(name=NAME, labels={"by": "python"}),
        update_mask=FieldMask(paths=["labels"]),
    )
    volumes.UpdateVolume(change, metadata=metadata)
    assert next(event for event in events if event.resource.labels["by"] == "python")
    events.cancel()

    with pytest.raises(grpc.RpcError) as refusal:
        volumes.CreateVolume(create, metadata=metadata)
    call: Any = refusal.value
    status = rpc_status.from_call(call)
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (info.reason, info.domain) == ("ALREADY_EXISTS", "cycloud.jp")

    delete = volume_pb2.DeleteVolumeRequest(name=NAME)
    gone = wait(operations, volumes.DeleteVolume(delete, metadata=metadata), metadata)
    assert gone.purge_time.seconds > gone.delete_time.seconds
