"""Alarms for operators: a line that monitoring can match, and an audit entry that the admin lists."""

import logging

from cycloud.core.iam.access import audit
from cycloud.core.iam.actor import system_actor

__all__ = ["raise_alarm"]

logger = logging.getLogger("cycloud.alarm")


def raise_alarm(controller: str, resource_name: str, reason: str, message: str) -> None:
    """Tell operators that something needs a person now. In the caller's transaction; call it once per onset.

    The log line is CRITICAL, from the logger ``cycloud.alarm``; the audit entry has the method AlarmRaised.
    """
    logger.critical("%s %s: %s", reason, resource_name, message)
    audit(system_actor(controller), "AlarmRaised", resource_name, reason=reason, message=message)
