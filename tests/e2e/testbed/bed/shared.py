"""The services that all clouds share: MariaDB, RabbitMQ and a one-node Ceph."""

import os
import pathlib
import subprocess
import sys

from bed.processes import alive, remember, spawn, wait_port
from bed.settings import (
    AMQP_PORT,
    CEPH_PORT,
    DB_PORT,
    DIST_PORT,
    EPMD_PORT,
    INFRA_IP,
    KIT,
    PASSWORD,
    RUN,
    sh,
)

# ends in the order in which they must be stopped
FIRST_TO_STOP = ["rabbitmq", "mariadb", "ceph-osd.0"]
LAST_TO_STOP = ["epmd", "ceph-mgr.x", "ceph-mon.a"]
DB_ARGS = ["--no-defaults", "-h", INFRA_IP, "-P", DB_PORT, "-u", "osbed", f"-p{PASSWORD}"]


def mysql(sql: str) -> str:
    return sh(["mariadb", *DB_ARGS, "-N", "-B", "-e", sql])


def start_mariadb() -> None:
    data = RUN / "mysql"
    fresh = not (data / "mysql").exists()
    if fresh:
        data.mkdir(parents=True, exist_ok=True)
        create = ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--user=root"]
        sh([*create, "--auth-root-authentication-method=normal", "--skip-test-db"])
        (RUN / "mysql-init.sql").write_text(
            f"CREATE OR REPLACE USER 'osbed'@'%' IDENTIFIED BY '{PASSWORD}';\n"
            "GRANT ALL ON *.* TO 'osbed'@'%' WITH GRANT OPTION;\n"
            "DELETE FROM mysql.global_priv WHERE user IN ('', 'root'); FLUSH PRIVILEGES;\n"
        )
    args = [
        "/usr/sbin/mariadbd",
        "--no-defaults",
        "--user=root",
        f"--datadir={data}",
        f"--bind-address={INFRA_IP}",
        f"--port={DB_PORT}",
        f"--socket={RUN}/mysql.sock",
        f"--pid-file={RUN}/mysql.pid",
        "--skip-name-resolve",
        "--max-connections=500",
        "--innodb-buffer-pool-size=256M",
        "--performance-schema=OFF",
        # a test bed may lose its last second in a power cut
        "--innodb-flush-log-at-trx-commit=0",
        "--innodb-doublewrite=0",
        "--sync-binlog=0",
        "--innodb-flush-method=nosync",
        "--character-set-server=utf8mb4",
        "--collation-server=utf8mb4_general_ci",
    ]
    if fresh:
        args.append(f"--init-file={RUN}/mysql-init.sql")
    spawn("mariadb", args)
    wait_port(INFRA_IP, DB_PORT, "mariadb")


def _rabbit_env() -> dict[str, str]:
    folder = RUN / "rabbit"
    home = next(pathlib.Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*"))
    return {
        "HOME": str(folder),
        "RABBITMQ_HOME": str(home),
        "RABBITMQ_NODENAME": "osbed@localhost",
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_NODE_IP_ADDRESS": INFRA_IP,
        "RABBITMQ_NODE_PORT": str(AMQP_PORT),
        "RABBITMQ_DIST_PORT": str(DIST_PORT),
        "ERL_EPMD_PORT": str(EPMD_PORT),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
        "RABBITMQ_CONF_ENV_FILE": "/dev/null",
        # 2 schedulers that sleep when idle
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none "
        "-kernel inet_dist_use_interface {127,0,0,1}",
    }


def rabbitctl(*args: str) -> str:
    """Run rabbitmqctl against the test bed's broker."""
    command = ["/usr/lib/rabbitmq/bin/rabbitmqctl", "-q", *args]
    return sh(command, env={**os.environ, **_rabbit_env()})


def ensure_vhost(name: str) -> None:
    """Create the vhost for the user osbed unless it exists."""
    if name not in rabbitctl("list_vhosts").split():
        rabbitctl("add_vhost", name)
        rabbitctl("set_permissions", "-p", name, "osbed", ".*", ".*", ".*")


def renew_vhost(name: str) -> None:
    """Make the vhost empty: its queues, exchanges and messages are gone afterwards."""
    if name in rabbitctl("list_vhosts").split():
        rabbitctl("delete_vhost", name)
    ensure_vhost(name)


def start_rabbit() -> None:
    folder = RUN / "rabbit"
    (folder / "log").mkdir(parents=True, exist_ok=True)
    (folder / "plugins").write_text("[].\n")
    (folder / "rabbitmq.conf").write_text(
        f"default_user = osbed\ndefault_pass = {PASSWORD}\n"
        "loopback_users = none\nvm_memory_high_watermark.absolute = 1GB\n"
        "disk_free_limit.absolute = 100MB\n"
    )
    spawn("epmd", ["epmd", "-address", "127.0.0.1", "-port", EPMD_PORT])
    wait_port("127.0.0.1", EPMD_PORT, "epmd")
    spawn("rabbitmq", ["/usr/lib/rabbitmq/bin/rabbitmq-server"], env=_rabbit_env())
    wait_port(INFRA_IP, AMQP_PORT, "rabbitmq", 90)


def start_storage() -> None:
    script = KIT / "lib/ceph.sh"
    env = {**os.environ, "RUN": str(RUN), "CEPH_IP": INFRA_IP, "CEPH_PORT": str(CEPH_PORT)}
    if not (RUN / "ceph" / "ceph.conf").exists():
        sh([script, "create"], env=env)
    if alive("ceph-osd.0") and alive("ceph-mon.a"):
        return
    # the daemons must not inherit a pipe as stdout, or "sh" would wait for them
    with (RUN / "logs" / "ceph.out").open("ab") as out:
        result = subprocess.run(
            [str(script), "start"],
            env=env,
            stdout=out,
            stderr=out,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    if result.returncode:
        sys.exit(f"ceph did not start, see {RUN}/logs/ceph.out")
    for name in ("mon.a", "mgr.x", "osd.0"):
        remember(f"ceph-{name}", int((RUN / "ceph/run" / f"{name}.pid").read_text()))


def cinder_backend() -> str:
    """Return the lines of cinder.conf that name the shared pool."""
    return "\n".join(
        [
            "volume_driver = cinder.volume.drivers.rbd.RBDDriver",
            "rbd_pool = volumes",
            f"rbd_ceph_conf = {RUN}/ceph/ceph.conf",
            "rbd_user = admin",
            # the clouds share the pool: never trust own bookkeeping for capacity
            "rbd_exclusive_cinder_pool = false",
            "rbd_flatten_volume_from_snapshot = true",
            "rbd_max_clone_depth = 5",
            "rados_connect_timeout = 10",
        ]
    )
