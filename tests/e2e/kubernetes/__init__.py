"""Kubernetes end to end: a real API server and kubectl, the sync as in production, simulated and real clouds."""
