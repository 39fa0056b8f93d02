"""Which labels and annotations of an object are its resource's too, and the other way round."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cycloud.kubernetes.metadata import (
    changed_annotations,
    changed_labels,
    declared_annotations,
    declared_labels,
    shown_annotations,
    shown_labels,
)

TOOLS = [
    "cycloud.jp/managed-by",
    "kubectl.kubernetes.io/last-applied-configuration",
    "argocd.argoproj.io/tracking-id",
    "kustomize.toolkit.fluxcd.io/name",
    "helm.toolkit.fluxcd.io/name",
    "meta.helm.sh/release-name",
]
OF_KUBERNETES = ["kubernetes.io/x", "deployment.kubernetes.io/revision", "x.k8s.io/y", "k8s.io/z"]
OF_PEOPLE = [
    "team",
    "example.com/tier",
    "my-cycloud.jp/x",
    "notkubernetes.io/x",
    "sub.meta.helm.sh/x",
]


@pytest.mark.parametrize("key", TOOLS)
def test_keys_of_tools_stay_where_they_are(key: str) -> None:
    both = {"metadata": {"labels": {key: "v"}, "annotations": {key: "v"}}}
    assert (declared_labels(both), declared_annotations(both)) == ({}, {})
    assert (shown_labels({key: "v"}), shown_annotations({key: "v"})) == ({}, {})


@pytest.mark.parametrize("key", OF_KUBERNETES)
def test_keys_of_kubernetes_are_labels_of_the_resource_and_annotations_of_the_object(
    key: str,
) -> None:
    both = {"metadata": {"labels": {key: "v"}, "annotations": {key: "v"}}}
    assert (declared_labels(both), declared_annotations(both)) == ({key: "v"}, {})
    assert (shown_labels({key: "v"}), shown_annotations({key: "v"})) == ({key: "v"}, {})


@pytest.mark.parametrize("key", OF_PEOPLE)
def test_keys_of_people_are_on_both(key: str) -> None:
    both = {"metadata": {"labels": {key: "v"}, "annotations": {key: "v"}}}
    assert (declared_labels(both), declared_annotations(both)) == ({key: "v"}, {key: "v"})
    assert (shown_labels({key: "v"}), shown_annotations({key: "v"})) == ({key: "v"}, {key: "v"})


@pytest.mark.parametrize(
    "key", ["a..b/x", "a-/x", "-a/x", "a.-b/x", "A.b/x", f"{'a' * 254}/x", "/x"]
)
def test_keys_that_the_api_server_refuses_are_not_shown_and_stay(key: str) -> None:
    current = {key: "v", "a": "b"}
    assert (shown_labels(current), shown_annotations(current)) == ({"a": "b"}, {"a": "b"})
    nothing: dict[str, object] = {"metadata": {}}
    assert changed_labels(current, nothing) == {key: "v"}
    assert changed_annotations(current, nothing) == {key: "v"}


@pytest.mark.parametrize("manifest", [{}, {"metadata": None}, {"metadata": {"labels": None}}])
def test_an_object_without_any(manifest: dict[str, object]) -> None:
    assert (declared_labels(manifest), declared_annotations(manifest)) == ({}, {})
    assert changed_labels({}, manifest) is None


def test_the_key_of_kubectl_is_known_in_any_case() -> None:
    odd = {"metadata": {"annotations": {"KUBECTL.kubernetes.io/last-applied-configuration": "x"}}}
    assert declared_annotations(odd) == {}


keys = st.one_of(
    st.sampled_from([*TOOLS, *OF_KUBERNETES, *OF_PEOPLE, "a..b/x", "Up.case/x"]),
    st.text(max_size=8),
)
maps = st.dictionaries(keys, st.text(max_size=3), max_size=6)


@given(current=maps, labels=maps)
def test_taken_in_once_it_is_taken_in(current: dict[str, str], labels: dict[str, str]) -> None:
    manifest = {"metadata": {"labels": labels, "annotations": labels}}
    for change, declared in (
        (changed_labels, declared_labels),
        (changed_annotations, declared_annotations),
    ):
        changed = change(current, manifest)
        after = current if changed is None else changed
        assert declared(manifest).items() <= after.items()
        assert change(after, manifest) is None


@given(maps)
def test_what_is_shown_is_no_change(current: dict[str, str]) -> None:
    manifest = {
        "metadata": {"labels": shown_labels(current), "annotations": shown_annotations(current)}
    }
    assert changed_labels(current, manifest) is None
    assert changed_annotations(current, manifest) is None
