import pytest
from django.db import DatabaseError, connection
from django.test import Client


def test_healthz_needs_no_database() -> None:
    assert Client().get("/healthz").content == b"ok\n"


@pytest.mark.django_db
def test_readyz_asks_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Client().get("/readyz").status_code == 200

    def fail() -> None:
        raise DatabaseError("host db.internal is away")

    monkeypatch.setattr(connection, "cursor", fail)
    answer = Client().get("/readyz")
    assert (answer.status_code, b"internal" in answer.content) == (503, False)
