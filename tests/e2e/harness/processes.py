"""A program under test as a process: started with a log, killed by its own pid only."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

TAIL = 4000


class ProcessDied(Exception):
    """A process ended though it should run; the text holds the end of its log."""


class Program:
    """One long-running program. ``start`` after ``stop`` or ``kill`` starts it anew."""

    def __init__(
        self, name: str, command: Sequence[str], env: Mapping[str, str], cwd: Path, log: Path
    ) -> None:
        self.name, self.log = name, log
        # it must not outlive a killed test run
        self._command = ["setpriv", "--pdeathsig=KILL", *command]
        self._env, self._cwd = dict(env), cwd
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Return the pid; raises ProcessDied where the program does not run."""
        self.check()
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self, env: Mapping[str, str] | None = None) -> None:
        """Start the program unless it runs; ``env`` adds to its environment this time."""
        if self.running:
            return
        with self.log.open("ab") as out:
            out.write(f"--- {' '.join(self._command)}\n".encode())
            out.flush()
            self._process = subprocess.Popen(
                self._command,
                env={**self._env, **(env or {})},
                cwd=self._cwd,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                # a group of its own, so that its children go with it
                start_new_session=True,
            )

    def check(self) -> None:
        """Raise ProcessDied where the program is not running."""
        if self._process is None:
            raise ProcessDied(f"{self.name} was not started")
        code = self._process.poll()
        if code is not None:
            raise ProcessDied(f"{self.name} ended with {code}\n{self.tail()}")

    def tail(self) -> str:
        """Return the end of the log."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return f"--- end of {self.log}\n{text[-TAIL:]}"

    def kill(self) -> None:
        """SIGKILL the program and its children, as a crash of the machine would."""
        self._end(signal.SIGKILL, 10)

    def stop(self, grace: float = 20) -> None:
        """SIGTERM; SIGKILL where it still runs after ``grace`` seconds."""
        try:
            self._end(signal.SIGTERM, grace)
        except subprocess.TimeoutExpired:
            self._end(signal.SIGKILL, 10)

    def _end(self, number: signal.Signals, seconds: float) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        os.killpg(self._process.pid, number)
        self._process.wait(seconds)
