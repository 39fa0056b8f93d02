"""The OpenAPI schema: that it is good, that the examples in it are true, that a running portal keeps to it."""
