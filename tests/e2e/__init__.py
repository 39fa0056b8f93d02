"""End-to-end suites: the portal as real processes against two real OpenStack clouds."""
