"""What the command line can do with the clouds."""

import concurrent.futures
import os
import shutil
import subprocess
import sys
import time

from bed import processes
from bed.cloud import (
    APIS,
    DAEMONS,
    Cloud,
    all_clouds,
    find_cloud,
    known_clouds,
    remember_clouds,
    wanted_clouds,
)
from bed.databases import create_databases
from bed.settings import KIT, PASSWORD, RUN, say
from bed.shared import (
    FIRST_TO_STOP,
    LAST_TO_STOP,
    ensure_vhost,
    start_mariadb,
    start_rabbit,
    start_storage,
)


def up(words: list[str]) -> None:
    """Create what is missing, start everything that does not run, wait until it works."""
    begin = time.time()
    (RUN / "logs").mkdir(parents=True, exist_ok=True)
    wanted = wanted_clouds(words)
    known = known_clouds()
    for name, release in wanted.items():
        if known.setdefault(name, release) != release:
            sys.exit(f"cloud {name} exists with release {known[name]}; destroy first")
    remember_clouds(known)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        starts = [pool.submit(f) for f in (start_mariadb, start_rabbit, start_storage)]
        for start in starts:
            start.result()
    say(f"shared services run ({time.time() - begin:.0f} s)")
    chosen = [cloud for cloud in all_clouds() if cloud.name in wanted]
    _start_identity(chosen, begin)
    _start_services(chosen, begin)
    write_clouds_yaml()
    say(f"up after {time.time() - begin:.0f} s; credentials: {RUN}/clouds.yaml")


def _start_identity(clouds: list[Cloud], begin: float) -> None:
    for cloud in clouds:
        ensure_vhost(cloud.name)
        cloud.write_config()
        create_databases(cloud)
        cloud.start("keystone")
        say(f"{cloud.name}: databases ready ({time.time() - begin:.0f} s)")
    for cloud in clouds:
        cloud.wait_api("keystone")
        if not (cloud.dir / "registered").exists():
            cloud.register("identity")
            (cloud.dir / "registered").touch()
    say(f"keystone ready ({time.time() - begin:.0f} s)")


def _start_services(clouds: list[Cloud], begin: float) -> None:
    # All at once would only fight over the cores; cloud after cloud, the APIs first.
    for cloud in clouds:
        for service in [*APIS, *DAEMONS]:
            cloud.start(service)
    for cloud in clouds:
        for service in APIS:
            cloud.wait_api(service)
        say(f"{cloud.name}: APIs answer ({time.time() - begin:.0f} s)")
    for cloud in clouds:
        say(cloud.register("ready").strip())


def write_clouds_yaml() -> None:
    lines = ["clouds:"]
    for cloud in all_clouds():
        entries = ((cloud.name, "admin", "admin"), (f"{cloud.name}-demo", "demo", "demo"))
        for entry, user, project in entries:
            lines += [
                f"  {entry}:",
                "    auth:",
                f"      auth_url: {cloud.auth_url}",
                f"      username: {user}",
                f"      password: {PASSWORD}",
                f"      project_name: {project}",
                "      user_domain_name: Default",
                "      project_domain_name: Default",
                f"    region_name: {cloud.region}",
                "    identity_api_version: 3",
            ]
    (RUN / "clouds.yaml").write_text("\n".join(lines) + "\n")


def down() -> None:
    """Stop every process that "up" started; the data stays."""
    begin = time.time()
    processes.stop([name for cloud in all_clouds() for name in cloud.processes])
    processes.stop(FIRST_TO_STOP, 40)
    processes.stop(LAST_TO_STOP)
    left = [name for name in processes.known() if processes.alive(name)]
    text = f"down after {time.time() - begin:.0f} s"
    say(text + (f", still running: {left}" if left else ""))


def destroy() -> None:
    down()
    shutil.rmtree(RUN, ignore_errors=True)


def status() -> int:
    """Print processes and memory; return 0 when there are clouds and every process runs."""
    rows = []
    for name in processes.known():
        pid = processes.alive(name)
        rows.append((name, pid, *(processes.memory(pid) if pid else (0.0, 0.0))))
    print(f"{'':24} {'pid':>8} {'RSS MiB':>8} {'PSS MiB':>8}")
    for name, pid, rss, pss in rows:
        print(f"{name:24} {pid or 'dead':>8} {rss:8.0f} {pss:8.0f}")
    total_rss, total_pss = sum(row[2] for row in rows), sum(row[3] for row in rows)
    print(f"{'total':24} {'':8} {total_rss:8.0f} {total_pss:8.0f}")
    return 0 if rows and all(pid for _, pid, _, _ in rows) else 1


def change_services(verb: str, name: str, services: list[str]) -> None:
    """Stop, start or restart single services of one cloud, for outage tests."""
    cloud = find_cloud(name)
    for service in services:
        if service not in APIS and service not in DAEMONS:
            known = ", ".join([*APIS, *DAEMONS])
            sys.exit(f"There is no service {service}; known: {known}")
    for service in services:
        if verb != "start":
            processes.stop([cloud.process(service)])
        if verb != "stop":
            cloud.write_config()
            cloud.start(service)
            if service in APIS:
                cloud.wait_api(service)


def pool(args: list[str]) -> int:
    """Run lib/rbdio.py with a Python that has Ceph's bindings."""
    clouds = all_clouds()
    if not clouds:
        sys.exit("There is no cloud yet; create them with: osbed.py up")
    command = [clouds[0].venv / "bin/python", KIT / "lib/rbdio.py", *args]
    env = {**os.environ, "OSBED_RUN": str(RUN)}
    return subprocess.run([str(word) for word in command], env=env, check=False).returncode
