"""Generated from proto/cycloud/compute by `make proto`."""
