"""Serve the simulated clouds until Ctrl-C: python -m cycloud.simulator --port 5900 --state FILE."""

from __future__ import annotations

import argparse
import sys
import threading

from cycloud.simulator.server import SimulatorError, SimulatorServer
from cycloud.simulator.site import Site, StateFileError


def main(arguments: list[str] | None = None) -> int:
    """Serve until Ctrl-C; 1 with one line on stderr if that is not possible."""
    parser = argparse.ArgumentParser(prog="python -m cycloud.simulator", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=5900, help="port to listen on (0: a free one)")
    parser.add_argument("--state", help="file that keeps the clouds over restarts")
    parser.add_argument("--latency", type=float, help="seconds that asynchronous work takes")
    options = parser.parse_args(arguments)
    try:
        site = Site.load(options.state) if options.state else Site()
        if options.latency is not None:
            site.latency = options.latency
        with SimulatorServer(site, options.host, options.port) as server:
            for name in site.clouds:
                sys.stdout.write(f"cloud {name}: {server.auth_url(name)}\n")
            sys.stdout.flush()
            threading.Event().wait()
    except (SimulatorError, StateFileError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
