"""The command as a whole: what goes wrong is one clear line, and no traceback."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import OperationalError

from cycloud.kubernetes.client import forget_client
from cycloud.kubernetes.commands.subcommand import explain
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from tests.kubernetes.commands.running import run


@pytest.fixture(autouse=True)
def no_configuration(settings: Any) -> None:
    settings.CYCLOUD_KUBERNETES_KUBECONFIG = ""
    settings.CYCLOUD_KUBERNETES_IN_CLUSTER = False
    forget_client()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "words", [["install"], ["check"], ["bind", "p"], ["unbind", "p"], ["resync", "VPC"], ["watch"]]
)
def test_without_a_configuration_it_says_which_setting_to_set(words: list[str]) -> None:
    with pytest.raises(CommandError, match="set CYCLOUD_KUBERNETES_KUBECONFIG") as failed:
        run(*words)
    assert "\n" not in str(failed.value)


def test_a_broken_configuration_is_told_without_its_content(settings: Any, tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("token: s3cret: x\n")
    settings.CYCLOUD_KUBERNETES_KUBECONFIG = str(path)
    with pytest.raises(CommandError, match="is not YAML") as failed:
        run("check")
    assert "s3cret" not in str(failed.value)


@pytest.mark.parametrize("kind", list(FaultKind))
def test_every_fault_is_one_line_with_a_next_step(kind: FaultKind) -> None:
    text = explain(KubernetesFault(kind, "some\ncause"))
    assert "some cause" in text
    assert "\n" not in text


@pytest.mark.parametrize(("words", "message"), [([], "required"), (["nothing"], "invalid choice")])
def test_a_missing_or_unknown_subcommand_is_told(words: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run(*words)


def test_a_database_that_is_away_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise OperationalError("no such table: kubernetes_namespacebinding\nmore")

    monkeypatch.setattr(
        "cycloud.kubernetes.commands.bindings.NamespaceBinding.objects", _Away(away)
    )
    with pytest.raises(CommandError, match="The database cannot be used: no such table") as failed:
        run("bindings")
    assert "\n" not in str(failed.value)


class _Away:
    def __init__(self, away: Any) -> None:
        self.select_related = away
