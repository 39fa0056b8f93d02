"""The databases of one cloud: made by the services' own migrations once, then from dumps."""

import concurrent.futures
import hashlib
import pathlib
import time
from collections.abc import Iterable

from bed.cloud import Cloud
from bed.settings import CACHE, KIT, PASSWORD, say, sh
from bed.shared import DB_ARGS, mysql

# database -> (command that creates the schema, configuration file or None for the usual one)
MIGRATIONS: dict[str, tuple[tuple[str, ...], str | None]] = {
    # the slow ones first: two run at a time
    "neutron": (("neutron-db-manage", "upgrade", "heads"), None),
    "nova": (("nova-manage", "db", "sync", "--local_cell"), None),
    "cinder": (("cinder-manage", "db", "sync"), None),
    "nova_api": (("nova-manage", "api_db", "sync"), None),
    "keystone": (("keystone-manage", "db_sync"), None),
    "placement": (("placement-manage", "db", "sync"), None),
    "glance": (("glance-manage", "db", "sync"), "glance-api.conf"),
}
# nova's cell 0 has the schema of a cell
DATABASES = [*MIGRATIONS, "nova_cell0"]


def create_databases(cloud: Cloud) -> None:
    """Create schemas, cells and keys unless an earlier run completed them."""
    if f"{cloud.name}_ready" in mysql("SHOW DATABASES").split():
        return
    for name in DATABASES:
        database = f"{cloud.name}_{name}"
        mysql(f"DROP DATABASE IF EXISTS {database}; CREATE DATABASE {database}")
    constraints = (KIT / f"constraints-{cloud.release}.txt").read_bytes()
    digest = hashlib.sha256(constraints).hexdigest()[:12]
    cache = CACHE / f"schema-{cloud.release}-{digest}"
    if (cache / "complete").exists():
        _load(cloud, cache, DATABASES)
    else:
        say(f"{cloud.name}: database migrations (kept in {cache} for the next time)")
        _migrate(cloud, cache)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(_map_cells, cloud), pool.submit(_make_keys, cloud)]:
            future.result()
    mysql(f"CREATE DATABASE {cloud.name}_ready")


def _migrate(cloud: Cloud, cache: pathlib.Path) -> None:
    cache.mkdir(parents=True, exist_ok=True)

    def run(name: str) -> None:
        begin = time.time()
        command, conf = MIGRATIONS[name]
        cloud.manage(*command, conf=conf)
        with (cache / f"{name}.sql").open("w") as file:
            sh(["mariadb-dump", *DB_ARGS, f"{cloud.name}_{name}"], stdout=file)
        say(f"  {name}: {time.time() - begin:.1f} s")

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(run, MIGRATIONS))
    _load(cloud, cache, ["nova_cell0"])
    (cache / "complete").touch()


def _load(cloud: Cloud, cache: pathlib.Path, names: Iterable[str]) -> None:
    for name in names:
        source = cache / ("nova.sql" if name == "nova_cell0" else f"{name}.sql")
        with source.open() as file:
            sh(["mariadb", *DB_ARGS, f"{cloud.name}_{name}"], stdin=file)


def _map_cells(cloud: Cloud) -> None:
    # their rows hold this cloud's own URLs, so they are in no dump
    cell0 = f"{cloud.db_url}/{cloud.name}_nova_cell0?charset=utf8mb4"
    cloud.manage("nova-manage", "cell_v2", "map_cell0", "--database_connection", cell0)
    cloud.manage("nova-manage", "cell_v2", "create_cell", "--name", "cell1")


def _make_keys(cloud: Cloud) -> None:
    for command in ("fernet_setup", "credential_setup"):
        owner = ["--keystone-user", "root", "--keystone-group", "root"]
        cloud.manage("keystone-manage", command, *owner)
    urls = [f"--bootstrap-{kind}-url" for kind in ("admin", "internal", "public")]
    words = ["bootstrap", "--bootstrap-password", PASSWORD]
    words += [word for url in urls for word in (url, cloud.auth_url)]
    cloud.manage("keystone-manage", *words, "--bootstrap-region-id", cloud.region)
