"""Making and changing instances through the console's forms."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from compute.models import Instance, Volume, VolumeAttachment
from cycloud.core.aip.models import Operation
from cycloud.core.clock import now
from cycloud.core.conditions import READY, UP_TO_DATE, Condition, Status
from tests.console.conftest import SignIn
from tests.factories.compute import World

Fill = Callable[..., dict[str, Any]]


def url(world: World, page: str) -> str:
    return f"/projects/{world.project.resource_id}/{page}"


@pytest.fixture
def fill(world: World) -> Fill:
    """Return the create form's values, as a browser sends them."""

    def values(**changes: Any) -> dict[str, Any]:
        return {
            "instance_id": "web-9",
            "display_name": "",
            "availability_zone": world.zone.resource_id,
            "instance_type": world.small.resource_id,
            "ssh_public_keys": "",
            "user_data": "",
            "start": "on",
            "volumes-TOTAL_FORMS": "1",
            "volumes-INITIAL_FORMS": "0",
            "volumes-0-source": "new",
            "volumes-0-volume_type": world.shared.resource_id,
            "volumes-0-size_gib": "20",
            "volumes-0-image": world.image.resource_id,
            "volumes-0-volume": "",
            "interfaces-TOTAL_FORMS": "1",
            "interfaces-INITIAL_FORMS": "0",
            "interfaces-0-source": "new",
            "interfaces-0-subnet": world.subnet.resource_id,
            "interfaces-0-ip_address": "",
            "interfaces-0-network_interface": "",
            **changes,
        }

    return values


def second_volume(source: str, **values: str) -> dict[str, str]:
    return {
        "volumes-TOTAL_FORMS": "2",
        "volumes-1-source": source,
        **{f"volumes-1-{name}": value for name, value in values.items()},
    }


def test_the_form_makes_an_instance_with_volumes_and_an_address(
    editor: Client, world: World, fill: Fill
) -> None:
    data = world.volume(resource_id="data-1")
    response = editor.post(
        url(world, "instances/new/"),
        fill(
            **second_volume("existing", volume="data-1"),
            **{"interfaces-0-ip_address": "10.0.1.44"},
            user_data="#!/bin/sh\r\necho hello\r\n",
            deletion_protection="on",
        ),
    )

    assert response.headers["Location"] == url(world, "instances/web-9/")
    made = Instance.objects.get(resource_id="web-9")
    assert [a.volume.size_gib for a in made.volume_attachments.all()] == [20, 10]
    assert made.volume_attachments.get(device_index=1).volume == data
    assert made.network_attachments.get().network_interface.ip_address == "10.0.1.44"
    assert made.user_data == "#!/bin/sh\necho hello\n"
    assert made.deletion_protection
    assert made.desired_state == "RUNNING"


def test_a_row_that_was_taken_away_is_not_made(editor: Client, world: World, fill: Fill) -> None:
    row = second_volume("new", volume_type=world.shared.resource_id, size_gib="30")
    editor.post(url(world, "instances/new/"), fill(**row, **{"volumes-1-DELETE": "on"}))

    assert Instance.objects.get(resource_id="web-9").volume_attachments.count() == 1


def test_without_the_start_box_the_instance_is_made_stopped(
    editor: Client, world: World, fill: Fill
) -> None:
    values = fill()
    del values["start"]
    editor.post(url(world, "instances/new/"), values)

    assert Instance.objects.get(resource_id="web-9").desired_state == "STOPPED"


@pytest.mark.parametrize(
    ("changes", "field", "text"),
    [
        ({"instance_id": "No Good"}, "id_instance_id", "is not a resource id"),
        ({"volumes-0-size_gib": "5"}, "id_volumes-0-size_gib", "offers"),
        ({"volumes-0-size_gib": ""}, "id_volumes-0-size_gib", "This is needed."),
        ({"volumes-0-image": ""}, "id_volumes-0-image", "so it needs an image"),
        ({"volumes-0-source": "existing"}, "id_volumes-0-volume", "This is needed."),
        ({"interfaces-0-ip_address": "10.9.9.9"}, "id_interfaces-0-ip_address", ""),
        ({"interfaces-0-ip_address": "10.0.1.1"}, "id_interfaces-0-ip_address", ""),
        ({"ssh_public_keys": "rubbish"}, "id_ssh_public_keys", "not an SSH public key"),
    ],
)
def test_what_is_refused_is_shown_at_its_field_and_changes_nothing(
    editor: Client, world: World, fill: Fill, changes: dict[str, str], field: str, text: str
) -> None:
    response = editor.post(url(world, "instances/new/"), fill(**changes))
    content = response.content.decode()

    assert response.status_code == 400
    assert f'id="{field}_error"' in content
    assert text in content[content.index(f'id="{field}_error"') :]
    assert not Instance.objects.exists()
    assert not Volume.objects.exists()


def test_an_error_of_the_second_kept_row_is_shown_there(
    editor: Client, world: World, fill: Fill
) -> None:
    """Rows that were taken away do not count: the request's volumes[1] is the form's third row."""
    rows = {
        "volumes-TOTAL_FORMS": "3",
        "volumes-1-source": "new",
        "volumes-1-DELETE": "on",
        "volumes-2-source": "new",
        "volumes-2-volume_type": world.shared.resource_id,
        "volumes-2-size_gib": "3",
    }
    content = editor.post(url(world, "instances/new/"), fill(**rows)).content.decode()

    assert 'id="id_volumes-2-size_gib_error"' in content


def test_a_name_in_use_is_told_at_the_name(editor: Client, world: World, fill: Fill) -> None:
    world.instance(resource_id="web-9")
    content = editor.post(url(world, "instances/new/"), fill()).content.decode()

    assert 'id="id_instance_id_error"' in content
    assert "exists already" in content


def test_a_type_that_is_not_offered_is_told_at_the_type(
    editor: Client, world: World, fill: Fill
) -> None:
    changes = {"instance_type": world.unplaced.resource_id}
    content = editor.post(url(world, "instances/new/"), fill(**changes)).content.decode()

    assert 'id="id_instance_type_error"' in content
    assert "is not available in zone" in content


def test_a_viewer_who_sends_the_form_is_refused(sign_in: SignIn, world: World, fill: Fill) -> None:
    response = sign_in("viewer").post(url(world, "instances/new/"), fill())

    assert response.status_code == 403
    assert "needs the role editor" in response.content.decode()
    assert not Instance.objects.exists()


def test_markup_in_a_name_is_shown_as_text(editor: Client, world: World) -> None:
    world.instance(resource_id="web-1", display_name="<script>alert(1)</script>")
    for page in ("instances/", "instances/web-1/"):
        content = editor.get(url(world, page)).content.decode()
        assert "<script>alert(1)" not in content
        assert "&lt;script&gt;alert(1)" in content


@pytest.mark.parametrize(
    ("verb", "before", "after"),
    [("stop", "RUNNING", "STOPPED"), ("start", "STOPPED", "RUNNING")],
)
def test_power_buttons_declare_the_wanted_state(
    editor: Client, world: World, verb: str, before: str, after: str
) -> None:
    instance = world.instance(resource_id="web-1", desired_state=before)
    response = editor.post(url(world, f"instances/web-1/do/{verb}/"), follow=True)

    instance.refresh_from_db()
    assert instance.desired_state == after
    assert Operation.objects.filter(target_uid=instance.uid, verb=verb).exists()
    assert f"web-1 is {verb}" in response.content.decode()


def test_restart_begins_a_new_run(editor: Client, world: World, instance: Instance) -> None:
    editor.post(url(world, "instances/web-1/do/restart/"))

    instance.refresh_from_db()
    assert instance.run == 2


def test_delete_begins_the_deletion(editor: Client, world: World, instance: Instance) -> None:
    editor.post(url(world, "instances/web-1/do/delete/"))

    instance.refresh_from_db()
    assert instance.delete_time is not None
    content = editor.get(url(world, "instances/web-1/")).content.decode()
    assert "Deleting" in content
    assert 'id="open-delete"' not in content


def test_a_refusal_is_told_on_the_next_page(editor: Client, world: World) -> None:
    world.instance(resource_id="web-1", deletion_protection=True)
    response = editor.post(url(world, "instances/web-1/do/delete/"), follow=True)

    assert "is protected from deletion" in response.content.decode()
    assert Instance.objects.get().delete_time is None


def test_verbs_are_not_done_by_get_nor_by_an_unknown_name(
    editor: Client, world: World, instance: Instance
) -> None:
    assert editor.get(url(world, "instances/web-1/do/stop/")).status_code == 405
    assert editor.post(url(world, "instances/web-1/do/explode/")).status_code == 404


def test_buttons_need_the_csrf_token(world: World, instance: Instance, editor: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = editor.cookies

    assert strict.post(url(world, "instances/web-1/do/stop/")).status_code == 403
    instance.refresh_from_db()
    assert instance.desired_state == "RUNNING"


def test_a_viewer_cannot_stop_an_instance(
    sign_in: SignIn, world: World, instance: Instance
) -> None:
    response = sign_in("viewer").post(url(world, "instances/web-1/do/stop/"))

    assert response.status_code == 403
    instance.refresh_from_db()
    assert instance.desired_state == "RUNNING"


def test_changing_the_type_only_declares_it(
    editor: Client, world: World, instance: Instance
) -> None:
    response = editor.post(
        url(world, "instances/web-1/change-type/"),
        {"instance_type": world.new_small.resource_id},
        follow=True,
    )

    instance.refresh_from_db()
    assert instance.instance_type == world.new_small
    assert instance.run_instance_type == world.small
    assert "takes it at its next start" in response.content.decode()


def test_checking_a_type_tells_what_is_in_the_way_and_changes_nothing(
    editor: Client, world: World
) -> None:
    instance = world.instance(resource_id="web-1", volumes=0)
    VolumeAttachment.objects.create(
        instance=instance,
        volume=world.volume(resource_id="snapped", blockers=["snapshots"]),
        device_index=0,
    )
    path = url(world, "instances/web-1/change-type/")
    blocked = editor.post(
        path, {"instance_type": world.new_small.resource_id, "check": "1"}
    ).content.decode()
    fine = editor.post(
        path, {"instance_type": world.medium.resource_id, "check": "1"}
    ).content.decode()

    assert "Not possible now" in blocked
    assert "snapped has snapshots" in blocked
    assert "nothing that is known now speaks against it" in fine
    instance.refresh_from_db()
    assert instance.instance_type == world.small


def test_a_blocked_change_is_told_at_the_field(editor: Client, world: World) -> None:
    instance = world.instance(resource_id="web-1", volumes=0)
    VolumeAttachment.objects.create(
        instance=instance, volume=world.volume(blockers=["encrypted"]), device_index=0
    )
    response = editor.post(
        url(world, "instances/web-1/change-type/"),
        {"instance_type": world.new_small.resource_id},
    )

    assert response.status_code == 400
    assert "is encrypted" in response.content.decode()


def test_the_check_before_a_restart_keeps_nothing(
    editor: Client, world: World, instance: Instance
) -> None:
    content = editor.get(url(world, "instances/web-1/check/restart/")).content.decode()

    assert "nothing that is known now speaks against it" in content
    instance.refresh_from_db()
    assert instance.run == 1
    assert not Operation.objects.exists()


def test_attaching_and_detaching_while_stopped(
    editor: Client, world: World, volume: Volume
) -> None:
    world.instance(resource_id="web-1", desired_state="STOPPED")
    editor.post(url(world, "instances/web-1/attach-volume/"), {"volume": "data-1"})
    assert VolumeAttachment.objects.filter(volume=volume, device_index=1).exists()

    editor.post(url(world, "instances/web-1/detach-volume/"), {"volume": "data-1"})
    assert not VolumeAttachment.objects.filter(volume=volume).exists()


def test_attaching_to_a_running_instance_is_refused_on_the_form(
    editor: Client, world: World, instance: Instance, volume: Volume
) -> None:
    response = editor.post(url(world, "instances/web-1/attach-volume/"), {"volume": "data-1"})

    assert response.status_code == 400
    assert "is running: stop it" in response.content.decode()


def test_deletion_protection_is_turned_on_and_off(
    editor: Client, world: World, instance: Instance
) -> None:
    for word, expected in (("on", True), ("off", False)):
        editor.post(url(world, "instances/web-1/protect/"), {"protection": word})
        instance.refresh_from_db()
        assert instance.deletion_protection is expected


def test_the_fragment_is_only_the_changing_part(
    editor: Client, world: World, instance: Instance
) -> None:
    for page, marker in (("instances/", "instance-table"), ("instances/web-1/", "instance")):
        content = editor.get(url(world, page), headers={"HX-Request": "true"}).content.decode()
        assert f'id="{marker}"' in content
        assert "<html" not in content


def test_conditions_and_timeline_are_shown(
    editor: Client, world: World, instance: Instance
) -> None:
    editor.post(url(world, "instances/web-1/do/stop/"))
    instance.refresh_from_db()
    instance.publish(
        [
            Condition(
                READY,
                Status.FALSE,
                "QuotaExceeded",
                "There is no quota left.",
                instance.generation,
                terminal=True,
            )
        ],
        now(),
        state="ERROR",
    )
    content = editor.get(url(world, "instances/web-1/")).content.decode()

    assert "There is no quota left." in content
    assert "QuotaExceeded" in content
    assert "Stop instance asked for by <strong>editor</strong>" in content


def test_a_change_that_waits_for_a_restart_shows_a_banner(
    editor: Client, world: World, instance: Instance
) -> None:
    conditions = [
        Condition(READY, Status.TRUE, "Updated", "", 1),
        Condition(UP_TO_DATE, Status.FALSE, "RestartRequired", "m2a waits.", 1),
    ]
    instance.publish(conditions, now(), state="RUNNING")
    content = editor.get(url(world, "instances/web-1/")).content.decode()

    assert "Restart required." in content
    assert "Restart now" in content
    assert "Restart required" in editor.get(url(world, "instances/")).content.decode()
