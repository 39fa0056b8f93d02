import pytest
from hypothesis import given
from hypothesis import strategies as st

from cycloud.openstack.cleaning import classify_server_fault, public_text

UUID = "56f841cb-f996-4990-b6cc-94354f1d016f"


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("Host 'cinder-zz@shared#shared' not found", "Host (host) not found"),
        ("manage on cinder-a@shared#shared failed", "manage on (storage) failed"),
        (
            f"Invalid volume: Volume {UUID} status must be available. (HTTP 400) "
            "(Request-ID: req-f49969fc-a4ea-4b2e-989a-cb67456c57d2)",
            "Invalid volume: Volume (object) status must be available.",
        ),
        (f"image volume-{UUID} is busy", "image (object) is busy"),
        ("project 4cac983133f0454a8a7628ccb1d353f0", "project (object)"),
        ("see req-f49969fc-a4ea-4b2e-989a-cb67456c57d2", "see (request)"),
        ("no answer from http://10.1.2.3:8774/v2.1/servers", "no answer from (address)"),
        ("no answer from 10.1.2.3:8774", "no answer from (address)"),
        ("no answer from [fd00::1]:8774", "no answer from (address)"),
        ("Build aborted on host cmp-7.rack.example.org: full", "Build aborted on (host): full"),
        ("spawn failed on cmp-a in Tokyo-A", "spawn failed on (cluster) in (cluster)"),
        ("error in /usr/lib/python3/nova/x.py", "error in (path)"),
        ("Unexpected API Error.\n<class 'oslo.MessagingTimeout'>", "Unexpected API Error."),
        ("two\n  lines &amp; more", "two lines & more"),
        # the user's own address stays
        (
            f"IP address 10.66.0.5 already allocated in subnet {UUID}",
            "IP address 10.66.0.5 already allocated in subnet (object)",
        ),
        (
            "Quota exceeded for cores: Requested 5000, but already used 0 of 400 cores",
            "Quota exceeded for cores: Requested 5000, but already used 0 of 400 cores",
        ),
    ],
)
def test_what_users_may_not_see_is_taken_out(text: str, public: str) -> None:
    assert public_text(text, ["cmp-a", "tokyo-a", ""]) == public


def test_only_whole_words_are_taken_out() -> None:
    assert public_text("a cat in cluster a", ["a"]) == "(cluster) cat in cluster (cluster)"


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_id_survives_between_any_words(before: str, after: str) -> None:
    public = public_text(f"{before} {UUID} req-{UUID} {after}", ["kyoto"])

    assert "f996-4990" not in public
    assert len(public) <= 500


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "No valid host was found. There are not enough hosts available.",
            "InsufficientCapacity",
        ),
        (
            "Quota exceeded for cores: Requested 5000, but already used 0 of 400 cores",
            "QuotaExceeded",
        ),
        (
            "VolumeLimitExceeded: Maximum number of volumes allowed (0) exceeded",
            "QuotaExceeded",
        ),
        (f"Image {UUID} could not be found.", "InvalidConfiguration"),
        ("Can not find requested image", "InvalidConfiguration"),
        (f"Block Device {UUID} is not bootable.", "InvalidConfiguration"),
        ("Flavor 99 could not be found.", "InvalidConfiguration"),
        (f"Volume {UUID} could not be found.", "VolumeAttachmentsAreNotReady"),
        (
            f"Block Device Mapping is Invalid: failed to get volume {UUID}.",
            "VolumeAttachmentsAreNotReady",
        ),
        (f"Port id {UUID} could not be found.", "NetworkInterfaceAttachmentFailed"),
        (
            "Failed to allocate the network(s), not rescheduling.",
            "NetworkInterfaceAttachmentFailed",
        ),
        ("Exceeded maximum number of retries. Exhausted all hosts", "ProviderError"),
        ("Build of instance x aborted: y", "ProviderError"),
        ("something else", "ProviderError"),
        ("", "ProviderError"),
    ],
)
def test_known_faults_have_a_stable_reason(text: str, reason: str) -> None:
    fault = classify_server_fault(text)

    assert fault.reason == reason
    assert fault.sentence.endswith(".")
    assert UUID not in fault.sentence
