"""One OpenStack cloud: its configuration files and its processes."""

import json
import os
import pathlib
import re
import string
import sys
import time
import urllib.error
import urllib.request

from bed.processes import alive, log_tail, spawn
from bed.settings import (
    AMQP_PORT,
    COMPUTE_DRIVER,
    DB_PORT,
    DEFAULT_RELEASE,
    INFRA_IP,
    KIT,
    NEUTRON_SERVICE_PLUGINS,
    PASSWORD,
    RUN,
    TOKEN_TTL,
    sh,
    venv,
)
from bed.shared import cinder_backend

# service -> (WSGI module, port)
APIS = {
    "keystone": ("keystone.wsgi.api:application", 5000),
    "placement": ("placement.wsgi.api:application", 8778),
    "glance-api": ("glance.wsgi.api:application", 9292),
    "neutron-api": ("neutron.wsgi.api:application", 9696),
    "nova-api": ("nova.wsgi.osapi_compute:application", 8774),
    "cinder-api": ("cinder.wsgi.api:application", 8776),
}
DAEMONS = ["nova-conductor", "nova-scheduler", "nova-compute", "cinder-scheduler", "cinder-volume"]
FOLDERS = [
    "etc",
    "data/nova/instances",
    "data/glance/images",
    "data/glance/staging",
    "data/glance/tasks",
    "data/locks",
    "data/cinder/conversion",
    "data/neutron",
]


class Cloud:
    """Cloud number ``index`` listens on 127.0.0.(11 + index), with OpenStack's usual ports."""

    def __init__(self, name: str, index: int, release: str) -> None:
        self.name, self.index, self.release = name, index, release
        self.venv = venv(release)
        self.ip = f"127.0.0.{11 + index}"
        self.dir = RUN / "clouds" / name
        self.etc, self.data = self.dir / "etc", self.dir / "data"
        self.logs = RUN / "logs" / name
        self.region = "RegionOne"
        self.db_url = f"mysql+pymysql://osbed:{PASSWORD}@{INFRA_IP}:{DB_PORT}"

    def process(self, service: str) -> str:
        return f"{self.name}.{service}"

    @property
    def processes(self) -> list[str]:
        return [self.process(service) for service in [*DAEMONS, *APIS]]

    @property
    def auth_url(self) -> str:
        return f"http://{self.ip}:5000/v3"

    # -- configuration

    def write_config(self) -> None:
        for folder in FOLDERS:
            (self.dir / folder).mkdir(parents=True, exist_ok=True)
        self.logs.mkdir(parents=True, exist_ok=True)
        values = {
            "name": self.name,
            "ip": self.ip,
            "region": self.region,
            "venv": self.venv,
            "etc": self.etc,
            "data": self.data,
            "logs": self.logs,
            "token_ttl": TOKEN_TTL,
            "compute_driver": COMPUTE_DRIVER,
            "neutron_service_plugins": NEUTRON_SERVICE_PLUGINS,
            "db": self.db_url,
            "rabbit": f"rabbit://osbed:{PASSWORD}@{INFRA_IP}:{AMQP_PORT}/{self.name}",
            "cinder_backend": cinder_backend(),
        }
        for template in (KIT / "templates").glob("*.conf"):
            text = string.Template(template.read_text()).substitute(values)
            text = re.sub(r"^@auth:(\w+)$", lambda m: self._auth(m.group(1)), text, flags=re.M)
            (self.etc / template.name).write_text(text)
        self._write_rootwrap()
        # an API's process has no useful program name for log_dir: it gets a log_file
        for service in ("nova", "neutron", "cinder"):
            text = (self.etc / f"{service}.conf").read_text()
            text = text.replace(
                f"log_dir = {self.logs}", f"log_file = {self.logs}/{service}-api.log"
            )
            (self.etc / f"{service}-api.conf").write_text(text)

    def _write_rootwrap(self) -> None:
        # cinder (qemu-img, privsep) goes through "sudo cinder-rootwrap CONF"; as root, sudo's
        # only effect would be to drop the PATH: a stand-in takes its place
        shim = RUN / "bin" / "sudo"
        if os.geteuid() == 0 and not shim.exists():
            shim.parent.mkdir(exist_ok=True)
            shim.write_text('#!/bin/sh\nexec "$@"\n')
            shim.chmod(0o755)
        filters = f"{self.venv}/etc/cinder/rootwrap.d,{self.venv}/etc/os-brick/rootwrap.d"
        folders = f"{self.venv}/bin,/usr/local/bin,/usr/bin,/bin,/usr/sbin,/sbin"
        (self.etc / "rootwrap.conf").write_text(
            f"[DEFAULT]\nfilters_path={filters}\nexec_dirs={folders}\nuse_syslog=False\n"
        )

    def _auth(self, user: str) -> str:
        return "\n".join(
            [
                f"auth_url = {self.auth_url}",
                f"www_authenticate_uri = {self.auth_url}",
                "auth_type = password",
                f"username = {user}",
                f"password = {PASSWORD}",
                "project_name = service",
                "user_domain_id = default",
                "project_domain_id = default",
                f"region_name = {self.region}",
            ]
        )

    # -- processes

    def manage(self, tool: str, *args: str, conf: str | None = None) -> str:
        """Run one of the services' own management commands."""
        conf = conf or tool.split("-")[0] + ".conf"
        return sh(
            [self.venv / "bin" / tool, "--config-file", self.etc / conf, *args],
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
            cwd=RUN,
        )

    def register(self, step: str) -> str:
        """Run one step of lib/register.py: "identity" or "ready"."""
        script = KIT / "lib/register.py"
        return sh([self.venv / "bin/python", script, step, self.name, self.ip, PASSWORD])

    def start(self, service: str) -> None:
        if service in APIS:
            self._start_api(service)
        else:
            self._start_daemon(service)

    def _start_api(self, service: str) -> None:
        module, port = APIS[service]
        etc = str(self.etc)
        env = {
            "OS_KEYSTONE_CONFIG_DIR": etc,
            "OS_PLACEMENT_CONFIG_DIR": etc,
            "OS_GLANCE_CONFIG_DIR": etc,
            "OS_NEUTRON_CONFIG_DIR": etc,
            "OS_NEUTRON_CONFIG_FILES": "neutron-api.conf",
            # 2025.1's nova-api would patch itself for eventlet, which does not go with
            # uwsgi's threads: RPC answers get lost (500 MessagingTimeout)
            "OS_NOVA_DISABLE_EVENTLET_PATCHING": "yes",
            "OS_NOVA_CONFIG_DIR": etc,
            "OS_NOVA_CONFIG_FILES": f"{self.venv}/etc/nova/api-paste.ini;nova-api.conf",
        }
        args = [self.venv / "bin/uwsgi", "--http-socket", f"{self.ip}:{port}", "--module", module]
        args += ["--home", self.venv, "--processes", "1", "--threads", "8", "--enable-threads"]
        args += ["--need-app", "--die-on-term", "--buffer-size", "65535"]
        args += ["--add-header", "Connection: close", "--disable-logging"]
        args += ["--procname", f"osbed-{self.name}-{service}"]
        if service == "cinder-api":
            args += ["--pyargv", f"--config-file {etc}/cinder-api.conf"]
        spawn(self.process(service), args, env, path=f"{self.venv}/bin")

    def _start_daemon(self, service: str) -> None:
        conf = service.split("-")[0] + ".conf"
        if service == "nova-compute":
            # without database URLs: nova-compute must not have database access
            text = (self.etc / "nova.conf").read_text()
            text = re.sub(r"^\[(api_)?database\]\n(?:(?!\[).*\n)*", "", text, flags=re.M)
            (self.etc / "nova-compute.conf").write_text(text)
            conf = "nova-compute.conf"
        args = [self.venv / "bin" / service, "--config-file", self.etc / conf]
        spawn(self.process(service), args, path=f"{self.venv}/bin")

    def wait_api(self, service: str, timeout: float = 120) -> None:
        """Wait until the API answers anything below 500; exit with its log where it died."""
        url = f"http://{self.ip}:{APIS[service][1]}/"
        name = self.process(service)
        end = time.time() + timeout
        while True:
            try:
                urllib.request.urlopen(url, timeout=5).read()
                return
            except urllib.error.HTTPError as error:
                if error.code < 500:
                    return
            except OSError:
                pass
            if not alive(name):
                sys.exit(f"{name} died\n{log_tail(name)}")
            if time.time() > end:
                sys.exit(f"{name}: no answer at {url} after {timeout:.0f} s")
            time.sleep(0.3)


def clouds_file() -> pathlib.Path:
    return RUN / "clouds.json"


def known_clouds() -> dict[str, str]:
    """Return the clouds that exist, name -> release, in the order of their addresses."""
    if not clouds_file().exists():
        return {}
    return {item["name"]: item["release"] for item in json.loads(clouds_file().read_text())}


def remember_clouds(releases: dict[str, str]) -> None:
    records = [{"name": name, "release": release} for name, release in releases.items()]
    clouds_file().write_text(json.dumps(records))


def wanted_clouds(words: list[str]) -> dict[str, str]:
    """Read "a:2025.1"; without a release it is the one the cloud has, else the default."""
    known = known_clouds()
    wanted = {}
    for word in words or list(known) or ["a", "b"]:
        name, _, release = word.partition(":")
        wanted[name] = release or known.get(name, DEFAULT_RELEASE)
    return wanted


def all_clouds() -> list[Cloud]:
    return [Cloud(name, i, release) for i, (name, release) in enumerate(known_clouds().items())]


def find_cloud(name: str) -> Cloud:
    for cloud in all_clouds():
        if cloud.name == name:
            return cloud
    known = ", ".join(known_clouds()) or "none"
    sys.exit(f"There is no cloud {name}; known: {known}. Create it with: osbed.py up {name}")
