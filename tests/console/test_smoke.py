import pytest




@pytest.mark.parametrize(
    "path",
    [
        "instances/",
        "instances/new/",
        "instances/web-1/",
        "instances/web-1/change-type/",
        "instances/web-1/attach-volume/",
        "volumes/",
        "volumes/?show_deleted=1",
        "volumes/new/",
        "volumes/data-1/",
        "volumes/data-1/grow/",
        "network-interfaces/",
        "network-interfaces/new/",
        "subnets/",
        "subnets/new/",
        "subnets/new-vpc/",
        "operations/",
        "instances/web-1/check/restart/",
    ],
)
def test_pages(editor, instance, volume, world, path):
    r = editor.get(f"/projects/{world.project.resource_id}/{path}")
    assert r.status_code == 200, r.content.decode()[:3000]
