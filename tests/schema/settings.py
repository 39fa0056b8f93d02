"""The embedded portal's settings for a portal that is asked thousands of senseless things at once."""

from tests.browser.settings import *  # noqa: F403

# nobody is kept waiting: the limits have tests of their own
CYCLOUD_RATE_PER_SECOND = CYCLOUD_RATE_FAILURES_PER_SECOND = 0.0
# nobody works off the queue
CELERY_BROKER_TRANSPORT = "memory"
