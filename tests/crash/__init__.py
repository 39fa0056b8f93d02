"""Crash tests: each story is cut off at every call and every publish, and must end as if nothing had happened."""
