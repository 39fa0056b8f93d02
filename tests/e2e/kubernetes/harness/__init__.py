"""What the suites stand on: servers, kubectl, an observer of the API, the portal's loops in threads."""
