"""Nova's fake compute driver, fit for a long-lived test bed.

Installed as nova/virt/osbed.py (nova loads compute drivers from nova.virt only).
What it adds to nova.virt.fake.FakeDriver:

* a node UUID that survives a restart of nova-compute (the stock driver draws a new
  one in every process, so a restarted nova-compute refuses to start);
* guests and their power states survive a restart (STATE_PATH/osbed-guests.json);
* STATE_PATH/guest-events.jsonl: one line for each spawn, power_on, power_off, destroy,
  attach and detach with the volumes concerned, so that a test can prove that no volume
  was ever in two running guests at once, across clouds;
* failures and delays on request, by the server's metadata:
    osbed_fail = comma list of spawn, power_on, power_off, destroy, attach, detach;
                 NAME fails always, NAME:2 only the first two times (metadata of a server in
                 ERROR can no longer be changed, so "destroy" wants a number)
    osbed_slow = seconds that each of these operations takes
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterable
from typing import Any

import nova.conf
from nova import exception
from nova.compute import power_state
from nova.virt import fake, node

CONF = nova.conf.CONF


class OsbedDriver(fake.FakeDriver):
    """The signatures are nova's; "Any" stands for its own objects."""

    def __init__(self, virtapi: Any, read_only: bool = False) -> None:
        super().__init__(virtapi, read_only)
        self._file = os.path.join(CONF.state_path, "osbed-guests.json")
        self._events = os.path.join(CONF.state_path, "guest-events.jsonl")
        self._lock = threading.RLock()
        self._failed: dict[tuple[str, str], int] = {}

    def init_host(self, host: str) -> None:
        super().init_host(host)
        self._uuid = node.get_local_node_uuid()
        try:
            with open(self._file) as file:
                guests = json.load(file)
        except OSError:
            guests = {}
        for uuid, guest in guests.items():
            self.instances[uuid] = fake.FakeInstance(guest["name"], guest["state"], uuid)
            self._mounts[guest["name"]] = guest["mounts"]

    # -- identity

    def get_nodenames_by_uuid(self, refresh: bool = False) -> dict[str, str]:
        return {self._uuid: self._host}

    def get_available_resource(self, nodename: str) -> dict[str, Any]:
        resources = super().get_available_resource(nodename)
        resources["uuid"] = self._uuid
        return resources

    # -- persistence, events, failures

    def _save(self) -> None:
        with self._lock:
            guests = {
                uuid: {
                    "name": guest.name,
                    "state": guest.state,
                    "mounts": self._mounts.get(guest.name, {}),
                }
                for uuid, guest in self.instances.items()
            }
            with open(self._file + ".new", "w") as file:
                json.dump(guests, file)
            os.rename(self._file + ".new", self._file)

    @staticmethod
    def _volume(connection_info: Any) -> str:
        data = (connection_info or {}).get("data") or {}
        return data.get("name") or data.get("volume_id")

    def _volumes(self, block_device_info: Any) -> list[str]:
        mapping = (block_device_info or {}).get("block_device_mapping") or []
        return [self._volume(device.get("connection_info")) for device in mapping]

    def _event(self, event: str, instance: Any, volumes: Iterable[str] = ()) -> None:
        record = {
            "time": time.time(),
            "event": event,
            "server": instance.uuid,
            "name": instance.display_name,
            "volumes": list(volumes),
        }
        with self._lock, open(self._events, "a") as file:
            file.write(json.dumps(record) + "\n")

    def _trouble(self, what: str, instance: Any) -> None:
        meta = instance.metadata or {}
        with contextlib.suppress(ValueError):
            time.sleep(min(float(meta.get("osbed_slow", 0)), 600))
        for word in meta.get("osbed_fail", "").split(","):
            name, _, times = word.strip().partition(":")
            count = self._failed.get((instance.uuid, what), 0)
            if name == what and (not times.isdigit() or count < int(times)):
                self._failed[instance.uuid, what] = count + 1
                self._event(f"{what}.refused", instance)
                raise exception.InternalError(f"osbed_fail: {what} fails on request")

    # -- guests

    def spawn(
        self,
        context: Any,
        instance: Any,
        image_meta: Any,
        injected_files: Any,
        admin_password: Any,
        allocations: Any,
        network_info: Any = None,
        block_device_info: Any = None,
        power_on: bool = True,
        accel_info: Any = None,
    ) -> None:
        self._trouble("spawn", instance)
        super().spawn(
            context,
            instance,
            image_meta,
            injected_files,
            admin_password,
            allocations,
            network_info=network_info,
            block_device_info=block_device_info,
            power_on=power_on,
            accel_info=accel_info,
        )
        self._event("spawn", instance, self._volumes(block_device_info))
        self._save()

    def power_on(
        self,
        context: Any,
        instance: Any,
        network_info: Any,
        block_device_info: Any = None,
        accel_info: Any = None,
        share_info: Any = None,
    ) -> None:
        self._trouble("power_on", instance)
        super().power_on(context, instance, network_info, block_device_info=block_device_info)
        self._event("power_on", instance, self._volumes(block_device_info))
        self._save()

    def power_off(self, instance: Any, timeout: int = 0, retry_interval: int = 0) -> None:
        self._trouble("power_off", instance)
        super().power_off(instance, timeout, retry_interval)
        self._event("power_off", instance)
        self._save()

    def destroy(
        self,
        context: Any,
        instance: Any,
        network_info: Any,
        block_device_info: Any = None,
        destroy_disks: bool = True,
        destroy_secrets: bool = True,
    ) -> None:
        self._trouble("destroy", instance)
        super().destroy(
            context,
            instance,
            network_info,
            block_device_info=block_device_info,
            destroy_disks=destroy_disks,
            destroy_secrets=destroy_secrets,
        )
        self._mounts.pop(instance.name, None)
        self._event("destroy", instance, self._volumes(block_device_info))
        self._save()

    def attach_volume(
        self, context: Any, connection_info: Any, instance: Any, mountpoint: str, **options: Any
    ) -> None:
        self._trouble("attach", instance)
        super().attach_volume(context, connection_info, instance, mountpoint, **options)
        self._event("attach", instance, [self._volume(connection_info)])
        self._save()

    def detach_volume(
        self, context: Any, connection_info: Any, instance: Any, mountpoint: str, **options: Any
    ) -> None:
        self._trouble("detach", instance)
        super().detach_volume(context, connection_info, instance, mountpoint, **options)
        self._event("detach", instance, [self._volume(connection_info)])
        self._save()

    def get_info(self, instance: Any, use_cache: bool = True) -> Any:
        if instance.uuid not in self.instances:
            raise exception.InstanceNotFound(instance_id=instance.uuid)
        return super().get_info(instance, use_cache)

    def resume_state_on_host_boot(
        self,
        context: Any,
        instance: Any,
        network_info: Any,
        share_info: Any,
        block_device_info: Any = None,
    ) -> None:
        guest = self.instances.get(instance.uuid)
        if guest is None:
            self.spawn(context, instance, None, None, None, None, network_info, block_device_info)
        elif guest.state != power_state.RUNNING:
            self.power_on(context, instance, network_info, block_device_info)
