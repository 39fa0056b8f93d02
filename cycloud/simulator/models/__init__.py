"""The state of one cloud, a module for each service. Times are seconds since the epoch."""
