"""Volumes through the console's forms."""

from datetime import timedelta

from django.test import Client

from compute.models import Instance, Volume
from cycloud.core.clock import now, use_clock
from tests.factories.compute import World


def url(world: World, page: str) -> str:
    return f"/projects/{world.project.resource_id}/{page}"


def values(world: World, **changes: str) -> dict[str, str]:
    return {
        "volume_id": "data-9",
        "display_name": "Files",
        "availability_zone": world.zone.resource_id,
        "volume_type": world.shared.resource_id,
        "size": "50",
        "image": "",
        **changes,
    }


def test_the_form_makes_a_volume(editor: Client, world: World) -> None:
    response = editor.post(url(world, "volumes/new/"), values(world))

    assert response.headers["Location"] == url(world, "volumes/data-9/")
    made = Volume.objects.get()
    assert (made.size_gib, made.image, made.display_name) == (50, None, "Files")


def test_a_wrong_size_is_told_at_the_size(editor: Client, world: World) -> None:
    response = editor.post(url(world, "volumes/new/"), values(world, size="3"))

    assert response.status_code == 400
    assert 'id="id_size_error"' in response.content.decode()
    assert not Volume.objects.exists()


def test_a_volume_grows_and_does_not_shrink(editor: Client, world: World, volume: Volume) -> None:
    editor.post(url(world, "volumes/data-1/grow/"), {"size": "80"})
    refused = editor.post(url(world, "volumes/data-1/grow/"), {"size": "20"})

    volume.refresh_from_db()
    assert volume.size_gib == 80
    assert refused.status_code == 400
    assert "never shrink" in refused.content.decode()


def test_a_deleted_volume_is_listed_where_asked_for_and_comes_back(
    editor: Client, world: World, volume: Volume
) -> None:
    editor.post(url(world, "volumes/data-1/do/delete/"))
    volume.refresh_from_db()
    assert volume.purge_time is not None

    editor.get(url(world, "volumes/"))  # shows the message about the deletion, once
    present = editor.get(url(world, "volumes/")).content.decode()
    with_deleted = editor.get(url(world, "volumes/?show_deleted=1")).content.decode()
    detail = editor.get(url(world, "volumes/data-1/")).content.decode()
    assert "data-1" not in present
    assert "data-1" in with_deleted
    assert f"{volume.purge_time:%Y-%m-%d %H:%M:%S} UTC" in detail

    editor.post(url(world, "volumes/data-1/do/undelete/"))
    volume.refresh_from_db()
    assert volume.delete_time is None


def test_after_the_purge_time_undelete_is_refused_in_words(
    editor: Client, world: World, volume: Volume
) -> None:
    editor.post(url(world, "volumes/data-1/do/delete/"))
    later = now() + timedelta(days=30)
    with use_clock(lambda: later):
        response = editor.post(url(world, "volumes/data-1/do/undelete/"), follow=True)

    assert "is over" in response.content.decode()
    volume.refresh_from_db()
    assert volume.delete_time is not None


def test_deleting_an_attached_volume_is_refused_naming_the_instance(
    editor: Client, world: World, instance: Instance
) -> None:
    attached = instance.volume_attachments.get(device_index=1).volume
    response = editor.post(url(world, f"volumes/{attached.resource_id}/do/delete/"), follow=True)

    assert "is attached to" in response.content.decode()
    assert "web-1" in response.content.decode()


def test_verbs_need_post_and_a_known_name(editor: Client, world: World, volume: Volume) -> None:
    assert editor.get(url(world, "volumes/data-1/do/delete/")).status_code == 405
    assert editor.post(url(world, "volumes/data-1/do/purge/")).status_code == 404
    assert editor.post(url(world, "volumes/no-such/do/delete/")).status_code == 404
