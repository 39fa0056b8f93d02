"""Collects notifications of clouds from RabbitMQ and keeps one sample of each kind.

    $ROOT/sdk/bin/python probes/notifications.py OUT_DIR SECONDS CLOUD...

Binds queues of its own to the services' topic exchanges, so it takes nothing away from
other consumers of the stock queues ("notifications.info" ...), which the publishers create.
"""

import json
import pathlib
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import kombu

EXCHANGES = ["nova", "cinder", "openstack", "neutron", "glance", "keystone"]
KEYS = [
    "notifications.info",
    "notifications.error",
    "notifications.warn",
    "versioned_notifications.info",
    "versioned_notifications.error",
]
BRIEF = ("state", "old_state", "old_task_state", "new_task_state", "status")


class Samples:
    """Keeps the first message of each event type, and the order of all of them."""

    def __init__(self, out: pathlib.Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self.out = out
        self.counts: Counter[tuple[str, str, str, str]] = Counter()

    def handler(self, cloud: str) -> Callable[[Any, Any], None]:
        def handle(body: Any, message: Any) -> None:
            message.ack()
            envelope = json.loads(body) if isinstance(body, (str, bytes)) else body
            packed = envelope.get("oslo.message")
            self.keep(cloud, message, envelope, json.loads(packed) if packed else envelope)

        return handle

    def keep(self, cloud: str, message: Any, envelope: Any, inner: Any) -> None:
        kind = inner.get("event_type", "unknown")
        info = message.delivery_info
        self.counts[cloud, info["exchange"], info["routing_key"], kind] += 1
        payload = inner.get("payload")
        brief = None
        if isinstance(payload, dict):
            brief = {key: payload[key] for key in BRIEF if key in payload}
        line = {
            "t": time.time(),
            "cloud": cloud,
            "exchange": info["exchange"],
            "routing_key": info["routing_key"],
            "event_type": kind,
            "publisher_id": inner.get("publisher_id"),
            "timestamp": inner.get("timestamp"),
            "brief": brief,
        }
        with (self.out / "sequence.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")
        versioned = info["routing_key"].startswith("versioned")
        path = self.out / f"{'versioned' if versioned else 'unversioned'}.{kind}.json"
        if not path.exists():
            path.write_text(self._sample(cloud, message, envelope, inner))

    def _sample(self, cloud: str, message: Any, envelope: Any, inner: Any) -> str:
        simple = (str, int, type(None))
        delivery = {
            "vhost": cloud,
            "exchange": message.delivery_info["exchange"],
            "routing_key": message.delivery_info["routing_key"],
            "properties": {k: v for k, v in message.properties.items() if isinstance(v, simple)},
            "headers": dict(message.headers or {}),
            "content_type": message.content_type,
        }
        sample = {
            "_delivery": delivery,
            "_envelope_keys": sorted(envelope),
            "_oslo.version": envelope.get("oslo.version"),
            "message": inner,
        }
        return json.dumps(sample, indent=1, sort_keys=True, default=str)

    def save_counts(self) -> None:
        names = ("cloud", "exchange", "routing_key", "event_type")
        rows = [
            {**dict(zip(names, key, strict=True)), "count": count}
            for key, count in sorted(self.counts.items())
        ]
        (self.out / "counts.json").write_text(json.dumps(rows, indent=1))


def listen(cloud: str, samples: Samples) -> Any:
    connection = kombu.Connection(f"amqp://osbed:osbed@127.0.0.10:25672/{cloud}")
    channel = connection.channel()
    for name in EXCHANGES:
        # the same declaration as oslo.messaging's: topic, not durable, not auto-delete
        exchange = kombu.Exchange(name, "topic", durable=False, auto_delete=False)
        queue = kombu.Queue(
            f"osbed-capture-{name}",
            auto_delete=True,
            durable=False,
            bindings=[kombu.binding(exchange, routing_key=key) for key in KEYS],
        )
        handlers = [samples.handler(cloud)]
        kombu.Consumer(channel, [queue], callbacks=handlers, accept=["json"]).consume()
    return connection


def main(out: str, seconds: str, *clouds: str) -> None:
    samples = Samples(pathlib.Path(out))
    connections = [listen(cloud, samples) for cloud in clouds]
    print("capturing", flush=True)
    end = time.time() + float(seconds)
    while time.time() < end and not (samples.out / "STOP").exists():
        for connection in connections:
            try:
                connection.drain_events(timeout=0.3)
            except TimeoutError:
                continue
    samples.save_counts()


if __name__ == "__main__":
    main(*sys.argv[1:])
