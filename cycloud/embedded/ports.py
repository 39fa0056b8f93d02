"""Taking the ports before anything else is started, so that a busy one is named at once."""

import errno
import socket

__all__ = ["PortBusy", "take_port"]


class PortBusy(Exception):
    """Another program listens on the port; the text says what to do."""


def take_port(host: str, port: int, option: str) -> socket.socket:
    """Return a socket bound to ``host:port`` (0: any free port).

    Raises PortBusy naming the port and ``option``, the command line option that chooses another.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family, socket.SOCK_STREAM)
    # a port that only waits for its last packets is free
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # accepted sockets inherit it: small answers do not wait for a delayed acknowledgement
    taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        taken.bind((host, port))
        taken.listen(128)
    except OSError as error:
        taken.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            cause = "is in use" if error.errno == errno.EADDRINUSE else "may not be used by you"
            raise PortBusy(
                f"Port {port} of {host} {cause}. Stop the program that has it (perhaps another "
                f"`make up`), or choose another port with {option}."
            ) from error
        raise
    return taken
