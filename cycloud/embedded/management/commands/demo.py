"""``manage.py demo``: tell the tour's story on the running portal and check every promise."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cycloud.embedded.demo.clouds import SimulatedClouds
from cycloud.embedded.demo.failure import DemoFailed
from cycloud.embedded.demo.portal import PortalClient
from cycloud.embedded.demo.rest_face import RestFace
from cycloud.embedded.demo.rpc_face import RpcFace
from cycloud.embedded.demo.story import tell
from cycloud.embedded.options import (
    DEFAULT_GRPC_PORT,
    DEFAULT_PORT,
    DEFAULT_SIMULATOR_PORT,
    NotEmbedded,
    UpOptions,
    data_dir,
)
from cycloud.embedded.seed_demo import PROJECT
from cycloud.embedded.terminal import Terminal


class Command(BaseCommand):
    help = (
        "Tell the tour's story on the running portal: create, move, same address and bytes, delete, "
        "undelete. Exits 0 only if all of it held."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", default=f"http://127.0.0.1:{DEFAULT_PORT}")
        parser.add_argument(
            "--grpc", action="store_true", help="speak gRPC with the portal in place of REST"
        )
        parser.add_argument("--grpc-address", default=f"127.0.0.1:{DEFAULT_GRPC_PORT}")
        parser.add_argument("--simulator-url", default=f"http://127.0.0.1:{DEFAULT_SIMULATOR_PORT}")
        parser.add_argument("--simulator-password", default="simulated")
        parser.add_argument("--token-file", type=Path, help="default: what `make up` wrote")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            token_file = options["token_file"] or UpOptions(data_dir()).token_file
            token = token_file.read_text().strip()
        except NotEmbedded as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(
                f"There is no token in {token_file} ({error.strerror}). Start the portal once with `make up`, "
                "or name another file with --token-file."
            ) from error
        clouds = SimulatedClouds(options["simulator_url"], options["simulator_password"])
        face = (
            RpcFace(options["grpc_address"], token)
            if options["grpc"]
            else RestFace(options["url"], token)
        )
        try:
            tell(PortalClient(face, PROJECT), clouds, Terminal(self.stdout))
        except DemoFailed as error:
            raise CommandError(f"The story did not hold. {error}") from error
