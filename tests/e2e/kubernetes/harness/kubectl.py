"""The real kubectl, of the server's version."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.kubernetes.harness.server import PROGRAMS, ApiServer

Json = dict[str, Any]
COMMAND_SECONDS = 150


class KubectlFailed(AssertionError):
    """kubectl ended with an error; ``text`` is what it printed."""

    def __init__(self, words: Sequence[str], code: int, text: str) -> None:
        super().__init__(f"kubectl {' '.join(words)} ended with {code}:\n{text}")
        self.code = code
        self.text = text


@dataclass(frozen=True)
class Kubectl:
    """kubectl as one user, in one namespace if given."""

    server: ApiServer
    namespace: str = ""
    user: str = "admin"

    def __call__(self, *words: str, input: Any = None) -> str:
        """Run a command and return all that it printed; ``input`` is its standard input, objects as JSON.

        Raises KubectlFailed.
        """
        done = self.run(*words, input=input)
        text = done.stdout + done.stderr
        if done.returncode:
            raise KubectlFailed(words, done.returncode, text)
        return text

    def fails(self, *words: str, input: Any = None) -> str:
        """Run a command that must fail, and return what it printed."""
        done = self.run(*words, input=input)
        assert done.returncode, f"kubectl {' '.join(words)} did not fail:\n{done.stdout}"
        return done.stdout + done.stderr

    def json(self, *words: str) -> Json:
        """Run a command with ``-o json`` and return what it printed."""
        found: Json = json.loads(self.run(*words, "-o", "json").stdout)
        return found

    def run(self, *words: str, input: Any = None) -> subprocess.CompletedProcess[str]:
        command = [
            str(PROGRAMS / "kubectl"),
            f"--kubeconfig={self.server.kubeconfig(self.user)}",
            f"--cache-dir={discovery(self.server)}",
            *([f"--namespace={self.namespace}"] if self.namespace else []),
            *words,
        ]
        return subprocess.run(
            command,
            input=as_input(input),
            env={**os.environ, "KUBECTL_EXTERNAL_DIFF": "diff -u -N"},
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )


def discovery(server: ApiServer) -> Path:
    """Return where kubectl remembers for ten minutes which kinds there are; to be removed when there are new ones."""
    return server.root / "discovery"


def as_input(content: Any) -> str:
    """Text as it is, one object or a list of objects as JSON, nothing as nothing."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list):
        content = {"apiVersion": "v1", "kind": "List", "items": content}
    return json.dumps(content)
