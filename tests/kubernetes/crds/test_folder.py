from pathlib import Path

import pytest
import yaml
from django.conf import settings

from cycloud.kubernetes.crds import definitions, stale, write
from cycloud.kubernetes.crds.__main__ import main

COMMITTED = Path(settings.BASE_DIR) / "deploy/kubernetes/crds"


def test_the_files_in_the_repository_are_what_the_definitions_give() -> None:
    assert stale(COMMITTED) == [], "run: make crds"


def test_files_hold_what_the_definitions_say(tmp_path: Path) -> None:
    write(tmp_path / "new")
    found = {path.name: yaml.safe_load(path.read_text()) for path in (tmp_path / "new").iterdir()}
    assert found == {f"{item['metadata']['name']}.yaml": item for item in definitions()}
    assert stale(tmp_path / "new") == []


def test_a_file_that_differs_is_missing_or_left_over_is_stale_until_it_is_written_again(
    tmp_path: Path,
) -> None:
    write(tmp_path)
    changed, missing = sorted(tmp_path.iterdir())[:2]
    changed.write_text(changed.read_text() + "# by hand\n")
    missing.unlink()
    (tmp_path / "gone.example.com.yaml").write_text("kind: CustomResourceDefinition\n")
    (tmp_path / "README.md").write_text("kept")
    assert stale(tmp_path) == sorted([changed.name, missing.name, "gone.example.com.yaml"])
    write(tmp_path)
    assert stale(tmp_path) == []
    assert (tmp_path / "README.md").exists()


def test_the_check_names_the_stale_file_and_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["crds", str(tmp_path)])
    assert main() == 0
    first = sorted(tmp_path.iterdir())[0]
    monkeypatch.setattr("sys.argv", ["crds", str(tmp_path), "--check"])
    assert main() == 0
    first.write_text("")
    assert main() == 1
    assert capsys.readouterr().err == (
        f"{first} is not what the protos and definitions give. Run: make crds\n"
    )
    assert first.read_text() == ""
