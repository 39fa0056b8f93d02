"""Provokes the answers that a controller of these clouds has to cope with, and keeps them.

    OS_CLIENT_CONFIG_FILE=$RUN/clouds.yaml $ROOT/sdk/bin/python probes/edges.py OUT_DIR [A B] [GROUP...]

Each probe writes OUT_DIR/GROUP-NAME.json (request, status, selected headers, body) and a line.
The group "outage" stops and starts services; the groups nova and cinder change quotas for a while.
"""

import pathlib
import sys

import openstack
from auth import probe_auth
from cinder import probe_cinder
from cinder_manage import probe_manage
from glance import probe_glance
from neutron import probe_neutron
from nova import probe_nova
from nova_failures import probe_failures
from outage import probe_outage
from recorder import Recorder

GROUPS = {
    "auth": [probe_auth],
    "cinder": [probe_cinder, probe_manage],
    "nova": [probe_nova, probe_failures],
    "neutron": [probe_neutron],
    "glance": [probe_glance],
    "outage": [probe_outage],
}


def main(argv: list[str]) -> int:
    if not argv:
        print(__doc__)
        return 2
    names = [word for word in argv[1:] if word not in GROUPS] or ["a", "b"]
    recorder = Recorder(pathlib.Path(argv[0]), *names[:2])
    failed = 0
    for group in [word for word in argv[1:] if word in GROUPS] or list(GROUPS):
        print(f"== {group}", flush=True)
        for probe in GROUPS[group]:
            try:
                probe(recorder)
            except (openstack.exceptions.SDKException, KeyError, ValueError) as error:
                failed += 1
                recorder.note(f"{probe.__name__} stopped", repr(error))
    recorder.save_notes()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
