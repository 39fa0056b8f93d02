"""Generated from proto/cycloud/common by `make proto`."""
