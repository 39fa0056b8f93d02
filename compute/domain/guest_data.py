"""What cloud-init in the guest gets: the user's own data, and the SSH keys beside it."""

import json
from collections.abc import Sequence
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

_KINDS = (
    ("#cloud-config", "cloud-config"),
    ("#!", "x-shellscript"),
    ("#include", "x-include-url"),
    ("#cloud-boothook", "cloud-boothook"),
    ("#upstart-job", "upstart-job"),
    ("#part-handler", "part-handler"),
    ("## template: jinja", "jinja2"),
)
_BOUNDARY = "===============cycloud-guest-data=="


def guest_user_data(user_data: str, ssh_public_keys: Sequence[str]) -> str:
    """Return the user data for the server; the same input gives the same text.

    Nova knows only one key pair per server, and it belongs to a user: keys go in as cloud-config instead
    (cloud-init's multipart archive), which needs no object in the cluster. An own text stays as it is.
    """
    if not ssh_public_keys:
        return user_data
    keys = "#cloud-config\n" + json.dumps({"ssh_authorized_keys": list(ssh_public_keys)}) + "\n"
    if not user_data:
        return keys
    if user_data.lstrip().lower().startswith(("content-type: multipart", "mime-version:")):
        return user_data
    archive = MIMEMultipart("mixed", boundary=_BOUNDARY)
    for text in (keys, user_data):
        kind = next((k for start, k in _KINDS if text.startswith(start)), "plain")
        archive.attach(MIMEText(text, kind, "utf-8"))
    return archive.as_string()
