"""What Prometheus reads: counters of this process, and gauges that the database tells (docs/operations.md)."""
