"""Generated from proto/cycloud/catalog/v1 by `make proto`."""
