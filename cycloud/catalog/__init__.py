"""Generated from proto/cycloud/catalog by `make proto`."""
