"""Generated from proto/cycloud/compute/v1 by `make proto`."""
