"""What every answer must be, whatever was asked."""

from typing import Any

from tests.factories.rest import Answer

ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
# what only an unforeseen error's text could hold
TRACES = ("Traceback", "site-packages", 'File "', "DoesNotExist", "IntegrityError", "sqlite")


def check(answer: Answer, sent: Any = "") -> None:
    """Fail for a server error, and for a refusal that has not our shape or tells of our insides."""
    assert answer.status < 500, f"{sent!r} gave {answer.status}: {answer.text[:2000]}"
    if answer.status < 400:
        return
    assert answer.json is not None, f"{sent!r} gave {answer.status}: {answer.text[:500]}"
    error = answer.json["error"]
    assert error["code"] == answer.status
    assert error["message"]
    assert error["details"][0]["@type"] == ERROR_INFO
    assert error["details"][0]["reason"] != "INTERNAL"
    assert answer.headers["X-Request-Id"]
    assert len(answer.text) < 20_000, "a refusal repeats what was sent"
    assert not [word for word in TRACES if word in answer.text]
