"""Daemons without systemd: started in a session of their own, known by pid and start time."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence

from bed.settings import RUN, say


def start_time(pid: int) -> str | None:
    """Return the kernel's start time of a process; with the pid it names one process for good."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rsplit(")", 1)[1].split()
    return None if fields[0] == "Z" else fields[19]


def pid_file(name: str) -> pathlib.Path:
    return RUN / "pids" / f"{name}.json"


def alive(name: str) -> int | None:
    """Return the pid of a daemon that runs, else None."""
    try:
        record = json.loads(pid_file(name).read_text())
    except OSError:
        return None
    pid = int(record["pid"])
    return pid if start_time(pid) == record["start"] else None


def known() -> list[str]:
    """Return the names of all daemons that were started and not stopped."""
    return sorted(path.name.removesuffix(".json") for path in (RUN / "pids").glob("*.json"))


def remember(name: str, pid: int) -> None:
    pid_file(name).parent.mkdir(parents=True, exist_ok=True)
    pid_file(name).write_text(json.dumps({"pid": pid, "start": start_time(pid)}))


def log_tail(name: str, length: int = 4000) -> str:
    return (RUN / "logs" / f"{name}.out").read_text(errors="replace")[-length:]


def spawn(
    name: str, args: Sequence[object], env: dict[str, str] | None = None, path: str = ""
) -> None:
    """Start a daemon unless it runs: output to logs/NAME.out, pid in pids/NAME.json."""
    if alive(name):
        return
    (RUN / "logs").mkdir(parents=True, exist_ok=True)
    full = {
        **os.environ,
        "PATH": f"{RUN}/bin:{path}:{os.environ['PATH']}:/usr/sbin:/sbin",
        "PYTHONWARNINGS": "ignore",
        "MALLOC_ARENA_MAX": "2",
        # eventlet's own resolver asks a name server even for local names
        "EVENTLET_NO_GREENDNS": "yes",
        **(env or {}),
    }
    with (RUN / "logs" / f"{name}.out").open("ab") as out:
        process = subprocess.Popen(
            [str(arg) for arg in args],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env=full,
            cwd=RUN,
            start_new_session=True,
        )
    remember(name, process.pid)


def stop(names: Iterable[str], grace: float = 20) -> None:
    """Send SIGTERM to each (to the process group: workers too), SIGKILL after ``grace`` seconds."""
    pids = {}
    for name in names:
        pid = alive(name)
        if pid:
            pids[name] = pid
            _signal_group(pid, signal.SIGTERM)
    _wait_gone(pids, grace)
    for name, pid in pids.items():
        if alive(name):
            say(f"{name} ignores SIGTERM, killing it")
            _signal_group(pid, signal.SIGKILL)
    _wait_gone(pids, 5)
    for name in names:
        if not alive(name):
            pid_file(name).unlink(missing_ok=True)


def _wait_gone(names: Iterable[str], seconds: float) -> None:
    end = time.time() + seconds
    while time.time() < end and any(alive(name) for name in names):
        _reap()
        time.sleep(0.1)


def _signal_group(pid: int, number: signal.Signals) -> None:
    try:
        # every daemon leads its own session, so its group is its alone
        if os.getpgid(pid) == pid:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)
    except ProcessLookupError:
        pass


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def wait_port(ip: str, port: int, name: str, timeout: float = 60) -> None:
    """Wait until the daemon ``name`` listens; exit with its log where it died."""
    end = time.time() + timeout
    while time.time() < end:
        try:
            socket.create_connection((ip, port), 1).close()
            return
        except OSError:
            if not alive(name):
                sys.exit(f"{name} died\n{log_tail(name, 3000)}")
            time.sleep(0.1)
    sys.exit(f"{name}: nothing listens on {ip}:{port} after {timeout:.0f} s")


def memory(pid: int) -> tuple[float, float]:
    """Return MiB of a process and its workers: resident, and with shared pages divided."""
    rss = pss = 0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.getsid(int(folder.name)) != pid and int(folder.name) != pid:
                continue
            text = (folder / "smaps_rollup").read_text()
        except OSError:
            continue
        for kib in re.findall(r"^Rss:\s+(\d+)", text, re.M):
            rss += int(kib)
        for kib in re.findall(r"^Pss:\s+(\d+)", text, re.M):
            pss += int(kib)
    return rss / 1024, pss / 1024
