"""``crds``: written, and compared."""

from pathlib import Path

from tests.kubernetes.commands.running import run


def test_definitions_are_written_and_found_fresh(tmp_path: Path) -> None:
    assert run("crds", str(tmp_path)) == f"14 definitions are in {tmp_path}.\n"
    assert run("crds", str(tmp_path), "--check") == ""


def test_a_stale_file_is_named(tmp_path: Path) -> None:
    run("crds", str(tmp_path))
    path = next(tmp_path.glob("volumes.*.yaml"))
    path.write_text(path.read_text() + "# mine\n")
    told = run("crds", str(tmp_path), "--check", status=1)
    assert told == f"{path} is not what the protos and kinds give. Run: make crds\n"
    assert path.read_text().endswith("# mine\n")
