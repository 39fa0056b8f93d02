"""Debian packages and Python environments: what a machine needs once."""

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterable

from bed.settings import KIT, ROOT, say, sh, venv

PACKAGES = [
    "rabbitmq-server",
    "mariadb-server",
    "qemu-utils",
    "jq",
    "uuid-runtime",
    # for /sbin/iscsiadm: os-brick looks for it, and where it is missing nova cannot attach
    # a MANAGED volume (its service_uuid is null, the lock's name), see EDGES.md 8
    "open-iscsi",
    "ceph-mon",
    "ceph-mgr",
    "ceph-osd",
    "ceph-common",
    "python3-rbd",
    "python3-rados",
]


def install(releases: Iterable[str]) -> None:
    """Install what is missing; harmless to repeat."""
    _install_packages()
    uv = ROOT / "tools" / "bin" / "uv"
    if not uv.exists():
        sh([sys.executable, "-m", "venv", ROOT / "tools"])
        sh([ROOT / "tools/bin/pip", "install", "-q", "uv"])
    env = {**os.environ}
    env.setdefault("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt")
    for release in sorted(set(releases)):
        say(f"Python packages of {release}")
        _install_release(uv, release, env)
    sdk = ROOT / "sdk"  # a client's environment, for the scripts in probes/
    if not sdk.exists():
        sh([uv, "venv", "-q", "--python", sys.executable, sdk])
    sh(
        [uv, "pip", "install", "-q", "--python", sdk / "bin/python", "openstacksdk", "kombu"],
        env=env,
    )
    say("installed")


def _installed(package: str) -> bool:
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status}", package]
    return subprocess.run(query, capture_output=True, text=True, check=False).stdout == "installed"


def _install_packages() -> None:
    missing = [package for package in PACKAGES if not _installed(package)]
    if not missing:
        return
    say("apt-get install " + " ".join(missing))
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # no system service is wanted: "up" starts private ones
    policy = pathlib.Path("/usr/sbin/policy-rc.d")
    made = not policy.exists()
    if made:
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
    try:
        if not list(pathlib.Path("/var/lib/apt/lists").glob("*_Packages*")):
            sh(["apt-get", "update"], env=env)
        options = ["-o", "DPkg::Lock::Timeout=600", "install", "-y", "--no-install-recommends"]
        sh(["apt-get", *options, *missing], env=env)
    finally:
        if made:
            policy.unlink()


def _install_release(uv: pathlib.Path, release: str, env: dict[str, str]) -> None:
    target = venv(release)
    if not target.exists():
        sh([uv, "venv", "-q", "--python", sys.executable, target])
    # the driver is installed from a copy: the build writes into its source folder
    source = ROOT / "tools" / "driver-src"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(KIT / "driver", source)
    command = [uv, "pip", "install", "-q", "--compile-bytecode"]
    command += ["--python", target / "bin/python"]
    command += ["-c", KIT / f"constraints-{release}.txt"]
    command += ["-r", KIT / f"requirements-{release}.txt", source]
    sh(command, env=env)
    site = next((target / "lib").glob("python3.*")) / "site-packages"
    # nova takes compute drivers from its own package only
    _replace_file(KIT / "driver/nova_virt/osbed.py", site / "nova/virt/osbed.py")
    # Debian's librbd bindings are built for CPython 3.11: any 3.11 loads them
    tag = f"cpython-{sys.version_info[0]}{sys.version_info[1]}-x86_64-linux-gnu"
    for module in ("rados", "rbd"):
        name = f"{module}.{tag}.so"
        _replace_file(pathlib.Path("/usr/lib/python3/dist-packages") / name, site / name)


def _replace_file(source: pathlib.Path, target: pathlib.Path) -> None:
    """Copy to a new inode: writing into a library that a process has mapped crashes it."""
    if target.exists() and target.read_bytes() == source.read_bytes():
        return
    new = target.with_name(target.name + ".new")
    shutil.copy(source, new)
    new.rename(target)
