"""Wrong tokens and passwords, versions too new, what a member may not see."""

from recorder import Recorder


def probe_auth(r: Recorder) -> None:
    for service, api, path in (
        ("nova", r.a.compute, "/servers"),
        ("cinder", r.a.block_storage, "/volumes"),
        ("neutron", r.a.network, "/ports"),
        ("glance", r.a.image, "/images"),
        ("placement", r.a.placement, "/resource_providers"),
    ):
        headers = {"X-Auth-Token": "gAAAAAnonsense", "Accept": "application/json"}
        answer = r.a.session.session.get(api.get_endpoint() + path, headers=headers)
        record = {
            "status": answer.status_code,
            "headers": dict(answer.headers),
            "body": answer.text,
        }
        r.keep(f"auth-bad-token-{service}", record, answer.text)
    user = {"name": "admin", "domain": {"id": "default"}, "password": "wrong"}
    identity = {"methods": ["password"], "password": {"user": user}}
    url = r.a.config.get_auth_args()["auth_url"] + "/auth/tokens"
    answer = r.a.session.session.post(url, json={"auth": {"identity": identity}})
    record = {"status": answer.status_code, "body": answer.text}
    r.keep("auth-wrong-password", record, answer.text)
    r.call("auth-microversion-too-new", r.a.compute, "GET", "/servers", version="2.999")
    r.call(
        "auth-cinder-microversion-too-new", r.a.block_storage, "GET", "/volumes", version="3.999"
    )
    r.call(
        "auth-demo-manage-forbidden",
        r.demo.block_storage,
        "POST",
        "/manageable_volumes",
        {"volume": {"host": "x", "ref": {"source-name": "y"}}},
        version="3.8",
    )
    r.call("auth-demo-port-with-host-forbidden", r.demo.network, "GET", "/agents")
    r.call("auth-demo-host-attribute-hidden", r.demo.compute, "GET", "/os-services")
