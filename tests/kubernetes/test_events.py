from cycloud.kubernetes.client import client
from cycloud.kubernetes.events import News, tell
from cycloud.kubernetes.places import Place
from tests.support.kubernetes.server import ApiServer
from tests.support.kubernetes.steps import apply_widget, events, namespace, ref
from tests.support.kubernetes.widgets import TEAM, WIDGET

PLACE = Place(WIDGET, TEAM, "w")
BROKE = News("ProviderError", "It broke.", is_warning=True, since="2026-11-30T12:00:00Z")


def test_the_same_news_again_is_the_same_event_with_a_higher_count(api: ApiServer) -> None:
    namespace(api)
    found = apply_widget(api)
    for _ in range(3):
        tell(client(), PLACE, found, BROKE)

    assert events(api) == [("Warning", "ProviderError", "It broke.")]
    (event,), _ = api.store.listing("events.k8s.io", "events", TEAM)
    assert event["series"]["count"] == 3
    assert event["regarding"]["uid"] == api.store.get(ref())["metadata"]["uid"]


def test_the_same_reason_at_another_time_is_another_event(api: ApiServer) -> None:
    namespace(api)
    found = apply_widget(api)
    tell(client(), PLACE, found, BROKE)

    tell(client(), PLACE, found, News("ProviderError", "It broke.", True, "2026-12-01T12:00:00Z"))

    assert len(events(api)) == 2


def test_a_note_is_cut_to_what_the_server_takes(api: ApiServer) -> None:
    namespace(api)
    found = apply_widget(api)

    tell(client(), PLACE, found, News("ProviderError", "x" * 5000, is_warning=True))

    assert len(events(api)[0][2]) == 1024


def test_a_namespace_that_is_gone_takes_no_event_and_that_is_no_fault(api: ApiServer) -> None:
    namespace(api)
    found = apply_widget(api)
    api.store.wipe()

    tell(client(), PLACE, found, BROKE)
