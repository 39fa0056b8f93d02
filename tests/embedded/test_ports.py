import pytest

from cycloud.embedded.ports import PortBusy, take_port


def test_a_busy_port_is_named_with_the_option_that_chooses_another() -> None:
    with take_port("127.0.0.1", 0, "--port") as first:
        port = first.getsockname()[1]
        with pytest.raises(PortBusy) as refusal:
            take_port("127.0.0.1", port, "--simulator-port")
    assert f"Port {port} of 127.0.0.1 is in use" in str(refusal.value)
    assert "--simulator-port" in str(refusal.value)


def test_a_port_can_be_taken_again_once_it_is_closed() -> None:
    with take_port("127.0.0.1", 0, "--port") as first:
        port = first.getsockname()[1]
    with take_port("127.0.0.1", port, "--port") as second:
        assert second.getsockname()[1] == port
