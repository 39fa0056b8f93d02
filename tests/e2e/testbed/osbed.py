#!/usr/bin/env python3
"""Sets up, starts and stops N small but real OpenStack clouds on one machine.

    osbed.py install [CLOUD..]  Debian packages and the Python environments (once per machine)
    osbed.py packages           print the Debian packages that "install" wants
    osbed.py up [CLOUD...]      create what is missing, start everything, wait until it works;
                                CLOUD is NAME or NAME:RELEASE, default "a b", for example
                                "up a:2025.1 b:2026.2" for two generations
    osbed.py down               stop every process that "up" started (data stays)
    osbed.py destroy            down, then delete the state directory
    osbed.py status             processes and resident memory; exit 1 where one is dead
    osbed.py restart CLOUD SVC  stop and start one service, e.g. "restart a nova-compute"
    osbed.py stop|start CLOUD SVC
    osbed.py manage CLOUD CMD   a service's own command: "manage a cinder-manage quota sync"
    osbed.py vhost NAME         an empty vhost in the message bus, for a program under test
    osbed.py sql QUERY          rows of the clouds' databases (CLOUD_cinder.volumes ...), tab-separated
    osbed.py rbd ARGS           lib/rbdio.py: look into the shared pool past OpenStack

Cloud number i (0, 1, ...) listens on 127.0.0.(11+i) with OpenStack's usual ports;
MariaDB, RabbitMQ and Ceph on 127.0.0.10 are shared (own databases, own vhost, ONE pool).
Only the standard library is used here. Settings: environment variables, see README.md.
"""

import sys

from bed import commands
from bed.cloud import find_cloud, known_clouds, wanted_clouds
from bed.install import PACKAGES, install
from bed.shared import mysql, renew_vhost


def main(argv: list[str]) -> int:
    match argv:
        case ["install", *names]:
            install([*wanted_clouds(names).values(), *known_clouds().values()])
        case ["packages"]:
            print(" ".join(PACKAGES))
        case ["up", *names]:
            commands.up(names)
        case ["down"]:
            commands.down()
        case ["destroy"]:
            commands.destroy()
        case ["status"]:
            return commands.status()
        case [("stop" | "start" | "restart") as verb, cloud, _, *_]:
            commands.change_services(verb, cloud, argv[2:])
        case ["manage", cloud, tool, *args]:
            print(find_cloud(cloud).manage(tool, *args), end="")
        case ["vhost", name]:
            renew_vhost(name)
        case ["sql", query]:
            print(mysql(query), end="")
        case ["rbd", _, *_]:
            return commands.pool(argv[1:])
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
