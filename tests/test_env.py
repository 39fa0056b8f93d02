"""The readers of settings."""

from ipaddress import ip_network

import pytest
from django.core.exceptions import ImproperlyConfigured

from cycloud.env import Env


def test_networks_are_read_with_and_without_a_length() -> None:
    env = Env({"ALLOW": "10.0.0.0/8, 192.0.2.7,fd00::/8", "NONE": ""})
    found = [ip_network("10.0.0.0/8"), ip_network("192.0.2.7/32"), ip_network("fd00::/8")]
    assert env.networks("ALLOW") == found
    assert env.networks("NONE") == []
    assert env.networks("MISSING", []) == []


@pytest.mark.parametrize("text", ["10.0.0.1/8", "everybody", "10.0.0.0/33"])
def test_a_wrong_network_is_named_with_its_setting(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"The setting ALLOW is not a list of addresses"):
        Env({"ALLOW": f"10.0.0.0/8,{text}"}).networks("ALLOW")
