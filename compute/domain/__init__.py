"""Decisions about instances and volumes: pure functions from what is wanted and seen to a plan.

No Django, no clock, no I/O. ``None`` in an observation means unknown, which never leads to create or delete.
"""
