import pytest
from django.test import Client

from tests.factories.iam import OperatorFactory


@pytest.fixture
def operator(db: None) -> Client:
    client = Client()
    client.force_login(OperatorFactory.create())
    return client
