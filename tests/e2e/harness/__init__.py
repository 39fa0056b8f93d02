"""Support for the end-to-end suites: services, portal processes, clouds, storage pool."""
