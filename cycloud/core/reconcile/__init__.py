"""The reconcile engine: durable due rows, leases with tokens, outcomes as values.

Services and reconcilers import from here; see docs/architecture.md.
"""
